import NMEA
import Receivers

/// Encodes the frames of binary protocols, with positions of zeros: the daemon reads no position
/// from them.
enum BinaryEncoder {
    /// Returns the frames that a receiver sends each second.
    ///
    /// - Parameter filler: The bytes of the messages, repeated; empty for zeros.
    static func epoch(of family: BinaryProtocol, filler: [UInt8] = []) -> [[UInt8]] {
        func body(_ count: Int) -> [UInt8] {
            (0..<count).map { filler.isEmpty ? 0 : filler[$0 % filler.count] }
        }
        return switch family {
        // NAV-PVT and NAV-EOE.
        case .ubx: [UBXFrame(0x01, 0x07, body(92)).bytes, UBXFrame(0x01, 0x61, body(4)).bytes]
        case .allystar: [[0xF1, 0xD9] + UBXFrame(0x01, 0x07, body(88)).bytes.dropFirst(2)]
        case .sirf: [sirf([2] + body(40)), sirf([41] + body(90))]
        case .skytraq: [skytraq([0xA8] + body(58))]
        case .mediatek: [mediatek(body(60))]
        case .casic: [casic(0x01, 0x03, body(80))]
        case .unicore: [withCRC32([0xAA, 0x44, 0xB5, 0, 0, 0, 96, 0] + body(16 + 96))]
        case .novatel: [withCRC32([0xAA, 0x44, 0x12, 28, 42, 0, 0, 0, 72, 0] + body(18 + 72))]
        case .sbf: [sbf(body(88))]
        case .rtcm: [rtcm([0x3E, 0xD0] + body(17)), rtcm([0x43, 0x50] + body(120))]
        case .tsip: [dle([0x8F, 0xAB] + body(16)), dle([0x8F, 0xAC] + body(67))]
        case .garmin: [garmin(51, body(64))]
        case .everMore: [everMore([2] + body(40))]
        }
    }

    static func sirf(_ payload: [UInt8]) -> [UInt8] {
        let sum = payload.reduce(0) { ($0 + Int($1)) & 0x7FFF }
        return [0xA0, 0xA2, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
            + [UInt8(sum >> 8), UInt8(sum & 0xFF), 0xB0, 0xB3]
    }

    static func skytraq(_ payload: [UInt8]) -> [UInt8] {
        [0xA0, 0xA1, 0, UInt8(payload.count)] + payload + [payload.reduce(0, ^), 0x0D, 0x0A]
    }

    static func casic(_ group: UInt8, _ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let covered = [UInt8(payload.count), 0, group, number] + payload
        let sum = stride(from: 0, to: covered.count, by: 4).reduce(UInt32(0)) { sum, start in
            // The sum wraps: it is modulo 2^32.
            sum &+ covered[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        return [0xBA, 0xCE] + covered + littleEndian(sum)
    }

    private static func mediatek(_ payload: [UInt8]) -> [UInt8] {
        let covered = [UInt8(payload.count + 9), 0, 0xFD, 0x00] + payload
        return [0x04, 0x24] + covered + [covered.reduce(0, ^), 0x0D, 0x0A]
    }

    private static func withCRC32(_ bytes: [UInt8]) -> [UInt8] {
        bytes + littleEndian(Checksum.crc32(of: bytes.span.bytes))
    }

    private static func sbf(_ body: [UInt8]) -> [UInt8] {
        let covered = [0xA7, 0x0F, UInt8(body.count + 8), 0] + body
        let sum = crc(of: covered, polynomial: 0x1021, bits: 16)
        return [0x24, 0x40, UInt8(sum & 0xFF), UInt8(sum >> 8)] + covered
    }

    private static func rtcm(_ message: [UInt8]) -> [UInt8] {
        let covered = [0xD3, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
        let sum = crc(of: covered, polynomial: 0x86_4CFB, bits: 24)
        return covered + [UInt8(sum >> 16), UInt8(sum >> 8 & 0xFF), UInt8(sum & 0xFF)]
    }

    private static func garmin(_ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let covered = [number, UInt8(payload.count)] + payload
        let sum = covered.reduce(0) { ($0 + Int($1)) & 0xFF }
        return dle(covered + [UInt8((256 - sum) & 0xFF)])
    }

    private static func everMore(_ payload: [UInt8]) -> [UInt8] {
        let sum = payload.reduce(0) { ($0 + Int($1)) & 0xFF }
        return dle([0x02, UInt8(payload.count + 2)] + payload + [UInt8(sum)])
    }

    /// DLE, contents with each DLE doubled, DLE ETX.
    private static func dle(_ contents: [UInt8]) -> [UInt8] {
        [0x10] + contents.flatMap { $0 == 0x10 ? [0x10, 0x10] : [$0] } + [0x10, 0x03]
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(number >> UInt32($0 * 8) & 0xFF) }
    }

    /// A cyclic redundancy check with the start value 0, most significant bit first.
    private static func crc(of bytes: [UInt8], polynomial: Int, bits: Int) -> Int {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ Int(byte) << (bits - 8)) { crc, _ in
                let shifted = crc << 1 & (1 << bits - 1)
                return crc >> (bits - 1) == 0 ? shifted : shifted ^ polynomial
            }
        }
    }
}
