import NMEA
import Receivers

/// What the host has written, as the receiver's parsers see it: sentences and UBX frames in their order of arrival.
struct HostLine: Sendable {
    /// Something that may be a command.
    enum Word: Sendable, Equatable {
        /// The body of a sentence with a right checksum.
        case sentence(String)
        case ubx(UBXFrame)
    }

    private var framer = Framer()
    private var binary = UBXFramer()

    /// Takes a chunk of any size.
    mutating func words(in bytes: [UInt8]) -> [Word] {
        var words: [Word] = []
        for byte in bytes {
            if let frame = binary.push(byte) { words.append(.ubx(frame)) }
            // Byte by byte keeps the order between both kinds.
            framer.push([byte].span.bytes) { body in
                body.withUnsafeBytes { words.append(.sentence(String(decoding: $0, as: UTF8.self))) }
            }
        }
        return words
    }
}
