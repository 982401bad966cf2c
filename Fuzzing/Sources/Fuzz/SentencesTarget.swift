import NMEA

/// Bodies, one a line: every field is in its range, and a sentence reads the same wherever it lies in memory and however it was cut.
enum SentencesTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var stream: [UInt8] = []
        stream.reserveCapacity(input.count * 2 + 16)
        var direct = SentenceCheck()
        var isPlain = true
        Line.each(input) { line in
            Line.append(line, to: &stream)
            isPlain = isPlain && Line.isBody(line) && line.count <= Framer.longestLine
            let (address, sentence) = Sentence.decode(line.bytes)
            if case .malformed = sentence { return }
            direct.check(address, sentence)
        }

        var whole = Decoded()
        whole.push(stream.span.bytes)
        whole.expectConsistency(stream.count)
        if isPlain { expect(whole.check.digest == direct.digest, "a body decodes to the same alone and in a stream") }

        var cut = Decoded()
        var cuts = Cuts(direct.digest)
        cuts.pieces(stream.count) { cut.push(stream.span.bytes.extracting($0)) }
        expect(cut.stream.counts == whole.stream.counts, "counts do not depend on cuts: \(cut.stream.counts), not \(whole.stream.counts)")
        expect(cut.check.digest == whole.check.digest, "sentences do not depend on cuts")
    }

    private struct Decoded {
        var stream = SentenceStream()
        var check = SentenceCheck()
        var heard = 0
        var unknown = 0

        mutating func push(_ chunk: RawSpan) {
            var (check, heard, unknown) = (check, heard, unknown)
            stream.push(chunk) { address, sentence in
                // The rest of a sentence that comes in parts is no other sentence.
                if case .proprietary(.pubx03(let part)) = sentence, part.first > 0 { return }
                heard += 1
                if case .unknown = sentence { unknown += 1 }
                check.check(address, sentence)
            }
            (self.check, self.heard, self.unknown) = (check, heard, unknown)
        }

        func expectConsistency(_ bytes: Int) {
            let counts = stream.counts
            expect(counts.bytes == bytes, "every byte is counted: \(counts.bytes) of \(bytes)")
            expect(counts.sentences - counts.malformed == heard, "each good sentence is passed on: \(counts), \(heard) heard")
            expect(counts.unknown == unknown, "unknown kinds are counted: \(counts), \(unknown) heard")
        }
    }
}
