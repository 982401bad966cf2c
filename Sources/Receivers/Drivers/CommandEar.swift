import NMEA

/// One thing a receiver has said that may matter to a driver.
enum Utterance: Sendable, Equatable {
    /// A sentence of a fix with a right checksum.
    case fix(FixSentence)
    /// The body of any other sentence with a right checksum.
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
            // Text holds no byte that a frame begins with.
            guard binary.isWithinFrame || bytes.contains(UBXFramer.first) else { return }
            for byte in bytes {
                if let frame = binary.push(byte) { heard.append(.ubx(frame)) }
            }
        }
        framer.push(chunk) { body in
            body.withUnsafeBytes { bytes in
                let fix = FixSentence(bytes).map(Utterance.fix)
                heard.append(fix ?? .sentence(String(decoding: bytes, as: UTF8.self)))
            }
        }
        return heard
    }
}
