/// A message of the u-blox binary protocol: class, number, payload, and a Fletcher checksum over
/// all three.
package struct UBXFrame: Sendable, Equatable {
    /// The message class, such as 0x06 for configuration.
    package var group: UInt8
    /// The message number within its class.
    package var number: UInt8
    package var payload: [UInt8]

    /// Creates a message.
    package init(_ group: UInt8, _ number: UInt8, _ payload: [UInt8] = []) {
        self.group = group
        self.number = number
        self.payload = payload
    }

    /// The encoded message. A payload beyond 65,535 bytes is truncated.
    package var bytes: [UInt8] {
        let payload = payload.prefix(0xFFFF)
        let covered = [group, number, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
        let sum = UBXFrame.checksum(covered)
        return [0xB5, 0x62] + covered + [sum.0, sum.1]
    }

    /// Returns the checksum of the bytes between the two sync bytes and the checksum (RFC 1145
    /// algorithm, modulo 256).
    static func checksum(_ covered: some Sequence<UInt8>) -> (UInt8, UInt8) {
        covered.reduce((0, 0)) { sum, byte in
            // The sums wrap: they are modulo 256.
            let a = sum.0 &+ byte
            return (a, sum.1 &+ a)
        }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, least significant first.
    var littleEndianBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> (Self(truncatingIfNeeded: $0) * 8)) }
    }
}

/// Finds UBX frames among other data on the line. Skips damaged frames.
package struct UBXFramer: Sendable {
    /// The maximum payload length. The driver requests no message with a longer payload.
    package static let maxPayload = 1024

    /// The first byte of each frame; never part of a sentence.
    static let first: UInt8 = 0xB5

    private var held: [UInt8] = []

    /// Creates a framer without data.
    package init() {}

    /// Whether the framer is inside an incomplete frame.
    package var isWithinFrame: Bool { !held.isEmpty }

    /// Processes one byte.
    ///
    /// - Returns: The frame that this byte completes, if any.
    package mutating func push(_ byte: UInt8) -> UBXFrame? {
        switch held.count {
        case 0:
            if byte == UBXFramer.first { held.append(byte) }
            return nil
        case 1:
            if byte == 0x62 { held.append(byte) } else if byte != 0xB5 { held.removeAll(keepingCapacity: true) }
            return nil
        default: held.append(byte)
        }
        guard held.count >= 6 else { return nil }
        let length = Int(held[4]) | Int(held[5]) << 8
        guard length <= UBXFramer.maxPayload else {
            held.removeAll(keepingCapacity: true)
            return nil
        }
        guard held.count == length + 8 else { return nil }
        defer { held.removeAll(keepingCapacity: true) }
        let sum = UBXFrame.checksum(held[2..<(length + 6)])
        guard held[length + 6] == sum.0, held[length + 7] == sum.1 else { return nil }
        return UBXFrame(held[2], held[3], Array(held[6..<(length + 6)]))
    }
}
