import NMEA

/// Any bytes: the framer finds what the plain rules find, however the bytes are cut, and accounts for each of them.
enum FramerTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var plain = PlainFramer()
        plain.push(input)
        expect(plain.bytes.all == input.count, "every byte means one thing: \(plain.bytes) of \(input.count)")

        var whole = Framed()
        whole.push(input.bytes)
        expect(whole.framer.counts == plain.counts, "counts as by the plain rules: \(whole.framer.counts), not \(plain.counts)")
        expect(whole.bodies == plain.bodies, "sentences as by the plain rules")

        var digest = Digest()
        digest.put(input.bytes)
        var cut = Framed()
        var cuts = Cuts(digest)
        cuts.pieces(input.count) { cut.push(input.bytes.extracting($0)) }
        expect(cut.framer.counts == whole.framer.counts, "counts do not depend on cuts: \(cut.framer.counts), not \(whole.framer.counts)")
        expect(cut.bodies == whole.bodies, "sentences do not depend on cuts")
    }

    private struct Framed {
        var framer = Framer()
        var bodies = Digest()

        mutating func push(_ chunk: RawSpan) {
            var bodies = bodies
            framer.push(chunk) { body in
                expect(body.byteCount <= Framer.longestLine, "no sentence longer than \(Framer.longestLine): \(body.byteCount)")
                bodies.put(body)
            }
            self.bodies = bodies
        }
    }
}
