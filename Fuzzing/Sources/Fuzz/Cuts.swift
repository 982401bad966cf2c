/// Pseudo-random positions at which an input is cut into chunks for a second pass.
///
/// Equal inputs have equal cuts, so that a finding can be replayed.
struct Cuts {
    private var state: UInt64
    private let maxLength: UInt64

    /// Creates the cuts from the digest of an input.
    init(_ digest: Digest) {
        state = digest.value | 1
        // Single bytes, a few bytes, one or two words, a line.
        maxLength = [1, 3, 20, 120][Int(digest.value >> 40 & 3)]
    }

    /// A number below `limit`, xorshift (G. Marsaglia, 2003).
    mutating func number(below limit: UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state % limit
    }

    /// Passes 0 ..< `count` to a closure, chunk by chunk.
    mutating func forEachChunk(of count: Int, _ body: (Range<Int>) -> Void) {
        var start = 0
        while start < count {
            let end = min(count, start + 1 + Int(number(below: maxLength)))
            body(start..<end)
            start = end
        }
    }
}
