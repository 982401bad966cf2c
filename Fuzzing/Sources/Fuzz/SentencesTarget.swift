import NMEA

/// Fuzzes the sentences with bodies, one per line: every field must be in its range, and the result
/// must not depend on cuts or on the position in memory.
enum SentencesTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var stream: [UInt8] = []
        stream.reserveCapacity(input.count * 2 + 16)
        var direct = SentenceCheck()
        var isPlain = true
        SentenceBodies.forEach(in: input) { line in
            SentenceBodies.append(line, to: &stream)
            isPlain = isPlain && SentenceBodies.isBody(line) && line.count <= Framer.maxLine
            let (address, sentence) = Sentence.decode(line.bytes)
            if case .malformed = sentence { return }
            direct.check(sentence, address: address)
        }

        var whole = Decoded()
        whole.push(stream.span.bytes)
        whole.checkCounts(bytes: stream.count)
        if isPlain {
            Invariant.check(whole.check.digest == direct.digest, "a body decodes equally alone and in a stream")
        }

        var cut = Decoded()
        var cuts = Cuts(direct.digest)
        cuts.forEachChunk(of: stream.count) { cut.push(stream.span.bytes.extracting($0)) }
        Invariant.check(
            cut.stream.counts == whole.stream.counts,
            "counts do not depend on cuts: \(cut.stream.counts), not \(whole.stream.counts)")
        Invariant.check(cut.check.digest == whole.check.digest, "sentences do not depend on cuts")
    }

    private struct Decoded {
        var stream = SentenceStream()
        var check = SentenceCheck()
        var received = 0
        var unknown = 0

        mutating func push(_ chunk: RawSpan) {
            var check = self.check
            var received = self.received
            var unknown = self.unknown
            stream.push(chunk) { address, sentence in
                // The rest of a sentence that arrives in parts is not another sentence.
                if case .proprietary(.pubx03(let part)) = sentence, part.precedingCount > 0 { return }
                received += 1
                if case .unknown = sentence { unknown += 1 }
                check.check(sentence, address: address)
            }
            self.check = check
            self.received = received
            self.unknown = unknown
        }

        func checkCounts(bytes: Int) {
            let counts = stream.counts
            Invariant.check(counts.bytes == bytes, "every byte is counted: \(counts.bytes) of \(bytes)")
            Invariant.check(
                counts.sentences - counts.malformed == received,
                "each valid sentence is reported: \(counts), \(received) received")
            Invariant.check(counts.unknown == unknown, "unknown kinds are counted: \(counts), \(unknown) received")
        }
    }
}
