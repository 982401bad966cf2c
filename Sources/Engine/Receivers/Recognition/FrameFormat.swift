import NMEA

/// The layout of the frames of a protocol: first bytes, length, check value.
///
/// Layouts: gpsd's `packet.c`, RTKLIB, and the interface descriptions of the makers. The odds are
/// those of a false frame at one position of random bytes.
struct FrameFormat: Sendable {
    /// A check value and what it covers.
    enum Check: Sendable {
        /// Fletcher, 8 bits twice, from the third byte on: 2^-36 with first bytes and length.
        case fletcher
        /// Sum of the payload, 15 bits: 2^-54 with the last bytes.
        case sum15
        /// XOR, 8 bits, from this byte on: 2^-47 with the last bytes.
        case xor(from: Int)
        /// Sum of words of 32 bits from the length on: 2^-55.
        case wordSum
        /// CRC-32 of all before it: below 2^-60.
        case crc32
        /// CRC-16-CCITT from the fifth byte on: 2^-37.
        case crc16
        /// CRC-24Q: 2^-38.
        case crc24
    }

    /// What the first bytes of a possible frame are.
    enum Progress: Equatable {
        /// No frame.
        case invalid
        /// Perhaps a frame, if this many bytes are there.
        case incomplete(needed: Int)
        /// A frame of this length.
        case frame(length: Int)
    }

    /// The maximum length of a frame in bytes, above those that receivers send once a second.
    static let maxLength = 8192

    let family: BinaryProtocol
    let first: [UInt8]
    let last: [UInt8]
    /// The offset of the two bytes of the length field.
    let lengthOffset: Int
    let isBigEndian: Bool
    /// The bits of the length field that belong to the length; the others are 0.
    let lengthMask: Int
    /// The number of bytes that the length field does not count.
    let uncounted: Int
    /// The offset of a byte with a length to be added.
    let addedOffset: Int?
    let check: Check

    private init(
        _ family: BinaryProtocol, _ first: [UInt8], last: [UInt8] = [], lengthAt lengthOffset: Int,
        isBigEndian: Bool = false, mask: Int = 0x1FFF, uncounted: Int, adding addedOffset: Int? = nil, check: Check
    ) {
        self.family = family
        self.first = first
        self.last = last
        self.lengthOffset = lengthOffset
        self.isBigEndian = isBigEndian
        lengthMask = mask
        self.uncounted = uncounted
        self.addedOffset = addedOffset
        self.check = check
    }

    /// All formats but those that end with DLE ETX.
    static let all = [
        FrameFormat(.ubx, [0xB5, 0x62], lengthAt: 4, mask: 0xFFF, uncounted: 8, check: .fletcher),
        FrameFormat(.allystar, [0xF1, 0xD9], lengthAt: 4, mask: 0xFFF, uncounted: 8, check: .fletcher),
        FrameFormat(
            .sirf, [0xA0, 0xA2], last: [0xB0, 0xB3], lengthAt: 2, isBigEndian: true, mask: 0x3FF, uncounted: 8,
            check: .sum15),
        FrameFormat(
            .skytraq, [0xA0, 0xA1], last: [0x0D, 0x0A], lengthAt: 2, isBigEndian: true, uncounted: 7,
            check: .xor(from: 4)),
        FrameFormat(
            .mediatek, [0x04, 0x24], last: [0x0D, 0x0A], lengthAt: 2, uncounted: 0, check: .xor(from: 2)),
        FrameFormat(.casic, [0xBA, 0xCE], lengthAt: 2, mask: 0x1FFC, uncounted: 10, check: .wordSum),
        FrameFormat(.unicore, [0xAA, 0x44, 0xB5], lengthAt: 6, uncounted: 28, check: .crc32),
        FrameFormat(.novatel, [0xAA, 0x44, 0x12], lengthAt: 8, uncounted: 4, adding: 3, check: .crc32),
        FrameFormat(.sbf, [0x24, 0x40], lengthAt: 6, mask: 0x1FFC, uncounted: 0, check: .crc16),
        FrameFormat(.rtcm, [0xD3], lengthAt: 1, isBigEndian: true, mask: 0x3FF, uncounted: 6, check: .crc24),
    ]

    /// Whether a frame may begin with a byte, by its value.
    static let mayBegin = (0..<256).map { byte in all.contains { Int($0.first[0]) == byte } }

    /// The length of the shortest possible frame: all but the payload.
    private var minLength: Int { max(uncounted, lengthOffset + 2 + last.count + 1) }

    /// Examines the bytes from a possible first byte of a frame on.
    func progress(of bytes: ArraySlice<UInt8>) -> Progress {
        guard zip(bytes, first).allSatisfy({ $0 == $1 }) else { return .invalid }
        guard bytes.count >= first.count else { return .incomplete(needed: first.count) }
        guard bytes.count >= lengthOffset + 2 else { return .incomplete(needed: lengthOffset + 2) }
        let field = number(bytes, at: lengthOffset, count: 2, isBigEndian: isBigEndian)
        guard field & ~lengthMask == 0 else { return .invalid }
        let length = field + uncounted + (addedOffset.map { Int(bytes[bytes.startIndex + $0]) } ?? 0)
        guard (minLength...FrameFormat.maxLength).contains(length) else { return .invalid }
        guard bytes.count >= length else { return .incomplete(needed: length) }
        let frame = bytes.prefix(length)
        return frame.suffix(last.count).elementsEqual(last) && isIntact(frame) ? .frame(length: length) : .invalid
    }
}

// The check values. Sums wrap as their definitions demand.
extension FrameFormat {
    private func isIntact(_ frame: ArraySlice<UInt8>) -> Bool {
        let start = frame.startIndex
        let end = frame.endIndex - last.count
        switch check {
        case .fletcher:
            return UBXFrame.checksum(frame[(start + 2)..<(end - 2)]) == (frame[end - 2], frame[end - 1])
        case .sum15:
            let sum = frame[(start + 4)..<(end - 2)].reduce(0) { ($0 + Int($1)) & 0x7FFF }
            return sum == number(frame, at: end - 2 - start, count: 2, isBigEndian: true)
        case .xor(let offset):
            return frame[(start + offset)..<(end - 1)].reduce(0) { $0 ^ $1 } == frame[end - 1]
        case .wordSum:
            let words = stride(from: 2, to: frame.count - 4, by: 4)
            // The sum wraps: it is modulo 2^32.
            let sum = words.reduce(UInt32(0)) { $0 &+ UInt32(number(frame, at: $1, count: 4)) }
            return sum == UInt32(number(frame, at: frame.count - 4, count: 4))
        case .crc32:
            let sum = Array(frame.dropLast(4)).span.bytes
            return Checksum.crc32(of: sum) == UInt32(number(frame, at: frame.count - 4, count: 4))
        case .crc16:
            return FrameFormat.crc16(of: frame.dropFirst(4)) == number(frame, at: 2, count: 2)
        case .crc24: return RTCMFrame(Array(frame)) != nil
        }
    }

    /// CRC-16-CCITT with the start value 0 (Septentrio SBF reference guides).
    static func crc16(of bytes: some Sequence<UInt8>) -> Int {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ Int(byte) << 8) { crc, _ in
                (crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021) & 0xFFFF
            }
        }
    }

    private func number(_ bytes: ArraySlice<UInt8>, at offset: Int, count: Int, isBigEndian: Bool = false) -> Int {
        let start = bytes.startIndex + offset
        let field = bytes[start..<(start + count)]
        return isBigEndian
            ? field.reduce(0) { $0 << 8 | Int($1) } : field.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
