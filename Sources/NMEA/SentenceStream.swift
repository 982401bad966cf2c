/// The bytes of one port as decoded sentences, with the account of what was thrown away.
public struct SentenceStream: Sendable {
    private var framer = Framer()

    /// A stream that has heard nothing yet.
    public init() {}

    /// What has become of the bytes so far.
    public var counts: InputCounts { framer.counts }

    /// A stream on the same port after it was closed and opened again: the counts go on, half a sentence does not.
    public func restarted() -> SentenceStream {
        var fresh = SentenceStream()
        fresh.framer.counts = framer.counts
        return fresh
    }

    /// Takes a chunk of any size and calls `sentence` for each one that has a right checksum and makes sense, in order.
    ///
    /// Kinds that no decoder reads are passed on as ``Sentence/unknown``: that they came is news too. A ``PUBX03`` comes
    /// in as many parts as it needs. Allocates nothing.
    public mutating func push(_ chunk: RawSpan, _ sentence: (Address, Sentence) -> Void) {
        var unknown = 0
        var malformed = 0
        framer.push(chunk) { body in
            var at = 0
            guard let address = Address(body, after: &at) else {
                malformed &+= 1
                return
            }
            let decoded = Sentence.read(address, body, at)
            switch decoded {
            case .malformed:
                malformed &+= 1
                return
            case .unknown: unknown &+= 1
            default: break
            }
            sentence(address, decoded)
            if address.talker == 0 { SentenceStream.passRest(of: decoded, address, body, sentence) }
        }
        framer.counts.unknown &+= unknown
        framer.counts.malformed &+= malformed
    }

    /// Passes on what did not fit into one part. Apart from ``push(_:_:)``, which every sentence goes through.
    @inline(never)
    private static func passRest(of decoded: Sentence, _ address: Address, _ body: RawSpan, _ sentence: (Address, Sentence) -> Void) {
        guard case .proprietary(.pubx03(var part)) = decoded else { return }
        while part.advance(body) { sentence(address, .proprietary(.pubx03(part))) }
    }
}
