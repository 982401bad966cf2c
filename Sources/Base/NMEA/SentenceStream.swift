// Wrapping arithmetic: counters of 64 bits never get there, and this code runs for every sentence.

/// Decodes the bytes of one port into sentences and counts the rejected input.
public struct SentenceStream: Sendable {
    private var framer = Framer()

    /// Creates a stream without input.
    public init() {}

    /// The counts of the bytes and lines so far.
    public var counts: InputCounts { framer.counts }

    /// Returns a stream for the same port after it has been reopened. It keeps the counts and drops
    /// an incomplete sentence.
    public func reopened() -> SentenceStream {
        var fresh = SentenceStream()
        fresh.framer.counts = framer.counts
        return fresh
    }

    /// Processes a chunk of any size and calls `onSentence` for each valid sentence, in order.
    ///
    /// A type without a decoder is passed on as ``Sentence/unknown``, because its arrival also
    /// matters. A ``PUBX03`` is passed on in several parts if necessary. Allocates nothing.
    ///
    /// - Parameter onFrame: Receives the body of each accepted sentence, the bytes between `$` and
    ///   `*`, before it is decoded. A proprietary one always had a valid checksum.
    public mutating func push(
        _ chunk: RawSpan, onFrame: ((RawSpan) -> Void)? = nil, onSentence: (Address, Sentence) -> Void
    ) {
        var unknown = 0
        var malformed = 0
        framer.process(chunk) { body in
            onFrame?(body)
            var index = 0
            guard let address = Address(body, after: &index) else {
                malformed &+= 1
                return
            }
            let decoded = Sentence.decode(address, body: body, fieldsStart: index)
            switch decoded {
            case .malformed:
                malformed &+= 1
                return
            case .unknown: unknown &+= 1
            default: break
            }
            onSentence(address, decoded)
            if address.talker == 0 {
                SentenceStream.deliverRemainingParts(of: decoded, address: address, body: body, onSentence: onSentence)
            }
        }
        framer.counts.unknown &+= unknown
        framer.counts.malformed &+= malformed
    }

    /// Passes on the parts after the first. It is separate from ``push(_:onFrame:onSentence:)``
    /// because every sentence goes through that method.
    @inline(never)
    private static func deliverRemainingParts(
        of decoded: Sentence, address: Address, body: RawSpan, onSentence sentence: (Address, Sentence) -> Void
    ) {
        guard case .proprietary(.pubx03(var part)) = decoded else { return }
        while part.advance(body) { sentence(address, .proprietary(.pubx03(part))) }
    }
}
