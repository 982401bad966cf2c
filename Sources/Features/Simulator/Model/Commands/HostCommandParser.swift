import NMEA
import Receivers

/// Parses the host's output into sentences and UBX frames in their order of arrival.
struct HostCommandParser: Sendable {
    /// A message that may be a command.
    enum Message: Sendable, Equatable {
        /// The body of a sentence with a valid checksum.
        case sentence(String)
        case ubx(UBXFrame)
    }

    private var framer = Framer()
    private var binary = UBXFramer()

    /// Parses a chunk of any size.
    mutating func messages(in bytes: [UInt8]) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            if let frame = binary.push(byte) { messages.append(.ubx(frame)) }
            // Parsing byte by byte keeps the order of both message types.
            framer.process([byte].span.bytes) { body in
                body.withUnsafeBytes { messages.append(.sentence(String(decoding: $0, as: UTF8.self))) }
            }
        }
        return messages
    }
}
