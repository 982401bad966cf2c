/// A message from a receiver that may matter to a driver.
enum ReceivedMessage: Sendable, Equatable {
    /// A standard sentence, such as GGA or RMC, with a valid checksum.
    case standardSentence(StandardSentence)
    /// The body of any other sentence with a valid checksum.
    case sentence(String)
    /// A UBX message.
    case ubx(UBXFrame)
}

/// Collects what a driver needs from the bytes of its port: the sentences that the core has framed,
/// and UBX frames. Used only while ``ReceiverDriver/usesInput``.
package struct MessageCollector: Sendable {
    private var framer = UBXFramer()
    private var messages: [ReceivedMessage] = []

    /// Creates a collector without messages.
    package init() {}

    /// Adds a sentence with a valid checksum.
    ///
    /// - Parameter body: The bytes between `$` and `*`.
    package mutating func addSentence(_ body: RawSpan) {
        body.withUnsafeBytes { bytes in
            let standard = StandardSentence(bytes).map(ReceivedMessage.standardSentence)
            messages.append(standard ?? .sentence(String(decoding: bytes, as: UTF8.self)))
        }
    }

    /// Adds the UBX frames that end in a chunk of any size.
    package mutating func addFrames(in chunk: RawSpan) {
        chunk.withUnsafeBytes { bytes in
            // Text never contains the first byte of a frame.
            guard framer.isWithinFrame || bytes.contains(UBXFramer.first) else { return }
            for byte in bytes {
                if let frame = framer.push(byte) { messages.append(.ubx(frame)) }
            }
        }
    }

    /// The number of collected GNSS sentences about position or satellites.
    var positionSentences: Int {
        messages.count {
            switch $0 {
            case .standardSentence(let sentence): GNSSDetection.isOfReceiver(sentence.address)
            case .sentence(let body): GNSSDetection.proprietary.contains(String(body.prefix { $0 != "," }))
            default: false
            }
        }
    }

    /// Removes the messages that no driver needs.
    package mutating func removeMessages() { messages.removeAll(keepingCapacity: true) }

    mutating func takeMessages() -> [ReceivedMessage] {
        defer { messages.removeAll(keepingCapacity: true) }
        return messages
    }
}
