/// Where the same bytes are cut on a second way through: anywhere, and the same for the same input, so that a finding can be replayed.
struct Cuts {
    private var state: UInt64
    private let longest: UInt64

    /// Cuts that the digest of an input decides.
    init(_ digest: Digest) {
        state = digest.value | 1
        // Single bytes, a few, a word or two, a line.
        longest = [1, 3, 20, 120][Int(digest.value >> 40 & 3)]
    }

    /// A number below `limit`, xorshift (G. Marsaglia, 2003).
    mutating func number(below limit: UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state % limit
    }

    /// Hands over 0 ..< `count` piece by piece.
    mutating func pieces(_ count: Int, _ take: (Range<Int>) -> Void) {
        var start = 0
        while start < count {
            let end = min(count, start + 1 + Int(number(below: longest)))
            take(start..<end)
            start = end
        }
    }
}
