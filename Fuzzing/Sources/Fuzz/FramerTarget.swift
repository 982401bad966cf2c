import NMEA

/// Fuzzes the framer with any bytes: it must agree with ``PlainFramer``, for any cuts, and count
/// every byte.
enum FramerTarget {
    static func run(_ input: UnsafeRawBufferPointer) {
        var plain = PlainFramer()
        plain.push(input)
        Invariant.check(
            plain.bytes.total == input.count, "every byte is counted once: \(plain.bytes) of \(input.count)")

        var whole = Framed()
        whole.push(input.bytes)
        Invariant.check(
            whole.framer.counts == plain.counts,
            "counts agree with PlainFramer: \(whole.framer.counts), not \(plain.counts)")
        Invariant.check(whole.bodies == plain.bodies, "sentences agree with PlainFramer")

        var digest = Digest()
        digest.put(input.bytes)
        var cut = Framed()
        var cuts = Cuts(digest)
        cuts.forEachChunk(of: input.count) { cut.push(input.bytes.extracting($0)) }
        Invariant.check(
            cut.framer.counts == whole.framer.counts,
            "counts do not depend on cuts: \(cut.framer.counts), not \(whole.framer.counts)")
        Invariant.check(cut.bodies == whole.bodies, "sentences do not depend on cuts")
    }

    private struct Framed {
        var framer = Framer()
        var bodies = Digest()

        mutating func push(_ chunk: RawSpan) {
            var bodies = bodies
            framer.process(chunk) { body in
                Invariant.check(
                    body.byteCount <= Framer.maxLine,
                    "no sentence is longer than \(Framer.maxLine): \(body.byteCount)")
                bodies.put(body)
            }
            self.bodies = bodies
        }
    }
}
