/// Finds the frames of the protocols that begin with DLE and end with DLE ETX: EverMore, Garmin,
/// TSIP. A DLE inside a frame is doubled.
///
/// The order of the tests matters, because the check of TSIP is the weakest (gpsd's `packet.c`).
struct DLEFramer: Sendable {
    private static let dle: UInt8 = 0x10
    private static let stx: UInt8 = 0x02
    private static let etx: UInt8 = 0x03
    /// The maximum length of the contents of a frame.
    private static let maxLength = 512

    /// The contents of the frame so far; nil between frames.
    private var contents: [UInt8]?
    private var isAfterDLE = false
    /// The number of bytes on the line since the start of the frame.
    private var length = 0

    /// Processes one byte. Returns the protocol and the length of the frame that it completes.
    mutating func push(_ byte: UInt8) -> (family: BinaryProtocol, length: Int)? {
        length += 1
        guard isAfterDLE else {
            if byte == DLEFramer.dle {
                isAfterDLE = true
            } else {
                append(byte)
            }
            return nil
        }
        isAfterDLE = false
        switch (byte, contents) {
        case (DLEFramer.dle, .some): append(byte)
        case (DLEFramer.dle, nil): isAfterDLE = true
        case (DLEFramer.etx, let contents?):
            self.contents = nil
            return DLEFramer.family(of: contents).map { ($0, length) }
        default:
            contents = [byte]
            length = 2
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        guard let count = contents?.count else { return }
        if count < DLEFramer.maxLength { contents?.append(byte) } else { contents = nil }
    }

    /// Returns the protocol of a frame, without its DLEs and ETX.
    private static func family(of contents: [UInt8]) -> BinaryProtocol? {
        if isEverMore(contents) { return .everMore }
        if isGarmin(contents) { return .garmin }
        return isTSIP(contents) ? .tsip : nil
    }

    /// STX, length with itself and the sum, data, sum of the data: 2^-40.
    private static func isEverMore(_ contents: [UInt8]) -> Bool {
        guard contents.count >= 4, contents[0] == stx, Int(contents[1]) == contents.count - 1 else { return false }
        // The sum wraps: it is modulo 256.
        return contents[2..<(contents.count - 1)].reduce(0, &+) == contents[contents.count - 1]
    }

    /// Number, length, data, and what makes the sum 0: 2^-32.
    private static func isGarmin(_ contents: [UInt8]) -> Bool {
        // The sum wraps: it is modulo 256.
        contents.count >= 3 && Int(contents[1]) == contents.count - 3 && contents.reduce(0, &+) == 0
    }

    /// The number of a report and the length of its data, without any check: 2^-28 (Trimble
    /// Copernicus II and Lassen iQ manuals; gpsd's `driver_tsip.c`).
    private static func isTSIP(_ contents: [UInt8]) -> Bool {
        guard let number = contents.first else { return false }
        let count = contents.count - 1
        switch number {
        case 0x41, 0x45: return count == 10
        case 0x42: return count == 16
        case 0x43, 0x4A, 0x56: return count == 20
        case 0x46: return count == 2
        case 0x4B: return count == 3
        case 0x5C: return count == 24
        case 0x82: return count == 1
        case 0x83, 0x84: return count == 36
        // A number of satellites, then as many entries.
        case 0x47: return count > 1 && count == 1 + 5 * Int(contents[1])
        case 0x6D: return count >= 17 && count == 17 + Int(contents[1] >> 4)
        case 0x8F where count > 1:
            switch contents[1] {
            case 0x20: return count == 56 || count == 64
            case 0xAB: return count == 17
            case 0xAC: return count == 68
            default: return false
            }
        default: return false
        }
    }
}
