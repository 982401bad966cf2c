import Varlink

extension ReceiverMethods {
    /// Starts a stream of the sentences of receivers.
    package static let sentences = Method<SentencesParameters, SentencesReply>("Sentences", of: .receiver)
}

/// The parameters of `io.sextant.Receiver.Sentences`.
package struct SentencesParameters: Codable, Sendable, Equatable {
    /// The maximum number of types.
    private static let maxTypes = 64

    /// The name or port of the only receiver. Absent: all receivers.
    package var receiver: String?
    /// The types of sentences. Absent: all.
    package var types: [String]?

    /// Creates a request for all sentences.
    package init(receiver: String? = nil, types: [String]? = nil) { (self.receiver, self.types) = (receiver, types) }

    /// Whether the types can be those of sentences.
    package var hasValidTypes: Bool {
        guard let types else { return true }
        return (1...SentencesParameters.maxTypes).contains(types.count)
            && types.allSatisfy { type in
                (1...16).contains(type.utf8.count)
                    && type.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
            }
    }

    /// Whether a sentence with this address, such as `GNRMC` or `PUBX`, is wanted.
    package func includes(address: some Collection<UInt8>) -> Bool {
        guard let types else { return true }
        return types.contains { type in
            type.utf8.elementsEqual(address)
                || type.utf8.count == 3 && address.count == 5 && type.utf8.elementsEqual(address.dropFirst(2))
        }
    }
}

/// A reply of `io.sextant.Receiver.Sentences`.
package struct SentencesReply: Codable, Sendable, Equatable {
    /// The number of the reply, from 1.
    package var sequence: Int
    /// The number of replies that were lost so far.
    package var dropped: Int
    /// The name of the receiver.
    package var receiver: String
    /// The sentences without line ends. Each character is one byte.
    package var sentences: [String]

    /// Creates a reply.
    package init(sequence: Int, dropped: Int, receiver: String, sentences: [String]) {
        self.sequence = sequence
        self.dropped = dropped
        self.receiver = receiver
        self.sentences = sentences
    }
}
