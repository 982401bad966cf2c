import NMEA

/// One thing a receiver has said that may matter to a driver.
enum Utterance: Sendable, Equatable {
    /// The body of a sentence with a right checksum.
    case sentence(String)
    /// A UBX message.
    case ubx(UBXFrame)
}

/// Makes utterances of bytes: NMEA sentences and UBX frames from the same line. Used only while a driver waits for something.
struct CommandEar: Sendable {
    private var framer = Framer()
    private var binary = UBXFramer()

    /// Takes a chunk of any size.
    mutating func hear(_ chunk: RawSpan) -> [Utterance] {
        var heard: [Utterance] = []
        chunk.withUnsafeBytes { bytes in
            for byte in bytes {
                if let frame = binary.push(byte) { heard.append(.ubx(frame)) }
            }
        }
        framer.push(chunk) { body in
            body.withUnsafeBytes { heard.append(.sentence(String(decoding: $0, as: UTF8.self))) }
        }
        return heard
    }
}
