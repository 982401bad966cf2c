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
