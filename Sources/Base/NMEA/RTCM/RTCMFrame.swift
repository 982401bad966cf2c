/// A message of RTCM 3 in its frame: the preamble, the length, the message and its check value
/// (RTCM 10403, section 4.2).
public struct RTCMFrame: Equatable, Sendable {
    /// The length of preamble and length, and that of the check value.
    static let headLength = 3
    private static let checkLength = 3
    static let preamble: UInt8 = 0xD3
    /// The maximum length of a frame in bytes: 1,023 of the message.
    public static let maxLength = headLength + 1023 + checkLength

    /// The whole frame.
    public let bytes: [UInt8]

    /// Creates a frame from its bytes; nil if they are not exactly one frame with the right check
    /// value.
    public init?(_ bytes: [UInt8]) {
        guard let length = RTCMFrame.length(bytes[...]), bytes.count == length, RTCMFrame.hasCheckValue(bytes) else {
            return nil
        }
        self.bytes = bytes
    }

    /// The number of the message; nil for an empty message, which some casters send to keep the
    /// connection open.
    public var message: Int? {
        guard bytes.count >= RTCMFrame.headLength + 2 + RTCMFrame.checkLength else { return nil }
        return Int(bytes[3]) << 4 | Int(bytes[4]) >> 4
    }

    /// Returns the length of the frame that begins the bytes; nil if these are too few or begin no
    /// frame.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= headLength, isHead(bytes) else { return nil }
        let start = bytes.startIndex
        return headLength + (Int(bytes[start + 1] & 3) << 8 | Int(bytes[start + 2])) + checkLength
    }

    /// Whether bytes may begin a frame: the six bits after the preamble are 0.
    static func isHead(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == preamble else { return false }
        return bytes.count < 2 || bytes[bytes.startIndex + 1] & 0xFC == 0
    }

    /// CRC-24Q over all but the last three bytes.
    private static func hasCheckValue(_ bytes: [UInt8]) -> Bool {
        var value: UInt32 = 0
        for byte in bytes {
            value ^= UInt32(byte) << 16
            for _ in 0..<8 { value = value & 0x80_0000 == 0 ? value << 1 : (value << 1 ^ 0x186_4CFB) }
        }
        // Over a frame with its check value the result is 0.
        return value & 0xFF_FFFF == 0
    }
}

/// Finds the frames of RTCM 3 in a stream of bytes. Other bytes are skipped.
public struct RTCMFramer: Sendable {
    private var bytes: [UInt8] = []
    /// The number of bytes that belong to no frame.
    public private(set) var strayBytes = 0

    /// Creates a framer without bytes.
    public init() {}

    /// The number of bytes that wait for the rest of a frame, less than ``RTCMFrame/maxLength``.
    public var byteCount: Int { bytes.count }

    /// Returns the frames that are complete now.
    public mutating func push(_ input: some Sequence<UInt8>) -> [RTCMFrame] {
        bytes += input
        var frames: [RTCMFrame] = []
        var start = 0
        while start < bytes.count {
            let rest = bytes[start...]
            guard RTCMFrame.isHead(rest) else {
                skip(&start)
                continue
            }
            guard rest.count >= RTCMFrame.headLength else { break }
            guard let length = RTCMFrame.length(rest), rest.count >= length else { break }
            if let frame = RTCMFrame(Array(rest.prefix(length))) {
                frames.append(frame)
                start += length
            } else {
                // The preamble may be part of other data: the next one is tried.
                skip(&start)
            }
        }
        bytes.removeFirst(start)
        return frames
    }

    private mutating func skip(_ start: inout Int) {
        start += 1
        strayBytes = strayBytes == .max ? .max : strayBytes + 1
    }
}

/// Finds commands of receivers among the bytes of a message.
///
/// A receiver that does not understand RTCM 3 searches a frame for its own protocols, so a caster
/// could configure it. Receivers with commands as text all understand RTCM 3. Noise of 500 bytes a
/// second has such bytes some five times a day; the loss of one frame does no harm.
enum HiddenCommand {
    /// The classes of UBX that configure a receiver: CFG and UPD (u-blox 8 / u-blox M8 Receiver
    /// Description, section 32).
    private static let ubxClasses: Set<UInt8> = [0x06, 0x09]
    /// The minimum length of the manufacturer's name in a proprietary sentence.
    private static let minName = 3

    static func isContained(in bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "$"): if isSentence(bytes[index...]) { return true }
            case 0xB5, 0xA0: if isBinary(bytes[index...]) { return true }
            default: break
            }
        }
        return false
    }

    /// Whether bytes that begin with `$` are a sentence with its checksum, or begin a proprietary
    /// one.
    private static func isSentence(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.dropFirst().prefix { (65...90).contains($0) || (48...57).contains($0) }
        if name.first == UInt8(ascii: "P"), name.count > minName, bytes.dropFirst(1 + name.count).first == 44 {
            return true
        }
        let body = bytes.dropFirst().prefix { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "*") }
        let end = bytes.dropFirst(1 + body.count).prefix(3)
        guard end.count == 3, end.first == UInt8(ascii: "*"), !body.isEmpty else { return false }
        return UInt8(String(decoding: end.dropFirst(), as: UTF8.self), radix: 16) == body.reduce(0, ^)
    }

    /// Whether bytes begin a message that configures a receiver with UBX, SiRF's or SkyTraq's
    /// protocol.
    private static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        let head = Array(bytes.prefix(6))
        guard head.count == 6 else { return false }
        switch (head[0], head[1]) {
        case (0xB5, 0x62): return isUBX(bytes, class: head[2], length: Int(head[4]) | Int(head[5]) << 8)
        case (0xA0, 0xA1), (0xA0, 0xA2):
            // Two bytes of the head, two of the length, and for SiRF two of the checksum.
            let end = 4 + (Int(head[2]) << 8 | Int(head[3])) + (head[1] == 0xA2 ? 2 : 1)
            let marks = Array(bytes.dropFirst(end).prefix(2))
            return marks == (head[1] == 0xA2 ? [0xB0, 0xB3] : [13, 10])
        default: return false
        }
    }

    /// A message may also end in the next frame. Then its class decides alone.
    private static func isUBX(_ bytes: ArraySlice<UInt8>, class kind: UInt8, length: Int) -> Bool {
        guard bytes.count >= length + 8 else { return ubxClasses.contains(kind) }
        let all = Array(bytes.prefix(length + 8))
        var (first, second): (UInt8, UInt8) = (0, 0)
        // The checksum wraps by definition (RFC 1145).
        for byte in all[2..<(length + 6)] {
            first &+= byte
            second &+= first
        }
        return all.suffix(2) == [first, second]
    }
}

extension RTCMFrame {
    /// Whether the frame contains a command of another protocol, which a receiver without RTCM 3
    /// would carry out.
    public var hidesCommand: Bool { HiddenCommand.isContained(in: bytes) }
}
