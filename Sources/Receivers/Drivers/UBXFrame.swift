/// A message of u-blox's binary protocol: class, number, payload, and a checksum after Fletcher over all three.
public struct UBXFrame: Sendable, Equatable {
    /// The class, such as 0x06 for settings.
    public var group: UInt8
    /// The message within its class.
    public var number: UInt8
    /// What it carries.
    public var payload: [UInt8]

    /// A message.
    public init(_ group: UInt8, _ number: UInt8, _ payload: [UInt8] = []) {
        (self.group, self.number, self.payload) = (group, number, payload)
    }

    /// As it goes over the line. A payload beyond 65,535 bytes is cut.
    public var bytes: [UInt8] {
        let payload = payload.prefix(0xFFFF)
        let covered = [group, number, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
        let sum = UBXFrame.checksum(covered)
        return [0xB5, 0x62] + covered + [sum.0, sum.1]
    }

    /// The checksum of the bytes between the two sync bytes and itself (RFC 1145's algorithm, modulo 256).
    static func checksum(_ covered: some Sequence<UInt8>) -> (UInt8, UInt8) {
        covered.reduce((0, 0)) { sum, byte in
            let a = sum.0 &+ byte
            return (a, sum.1 &+ a)
        }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the lowest first.
    var littleEndianBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> (Self(truncatingIfNeeded: $0) * 8)) }
    }
}

/// Finds UBX frames among whatever else is on the line. What is damaged is passed over.
public struct UBXFramer: Sendable {
    /// The longest payload taken; a longer one is no answer to anything that is asked here.
    public static let longestPayload = 1024

    /// What each frame begins with; never part of a sentence.
    static let first: UInt8 = 0xB5

    private var held: [UInt8] = []

    /// A framer that has seen nothing.
    public init() {}

    /// Whether a frame has begun and not ended.
    public var isWithinFrame: Bool { !held.isEmpty }

    /// Takes one byte.
    ///
    /// - Returns: The frame that it ends.
    public mutating func push(_ byte: UInt8) -> UBXFrame? {
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
        guard length <= UBXFramer.longestPayload else {
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
