import Chronology
import Simulator

/// The random numbers of one actor. Each actor has a stream of its own, so that removing one leaves
/// the others as they were.
struct RandomStream {
    private var source: RandomSource

    /// - Parameter purpose: the name of the actor; it distinguishes the streams of one seed.
    init(seed: UInt64, purpose: String) {
        // FNV-1a: a hash that is the same in every run.
        let hash = purpose.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        source = RandomSource(seed: seed, purpose: hash)
    }

    /// Returns 64 random bits.
    mutating func bits() -> UInt64 { source.next() }

    /// Returns a number in 0 ..< 1.
    mutating func fraction() -> Double { source.uniform() }

    /// Returns true with a probability.
    mutating func chance(_ probability: Double) -> Bool { source.uniform() < probability }

    /// Returns a number of a range, all with the same probability.
    mutating func number(in range: Range<Double>) -> Double {
        range.lowerBound + source.uniform() * (range.upperBound - range.lowerBound)
    }

    /// Returns an integer of a range, all with the same probability.
    mutating func integer(in range: Range<Int>) -> Int {
        range.lowerBound + Int(source.uniform() * Double(range.count))
    }

    /// Returns a number of a range whose logarithm has the same probability everywhere.
    mutating func logarithmic(in range: Range<Double>) -> Double {
        // Without a mathematical library: the square root halves the logarithm.
        var (low, high) = (range.lowerBound, range.upperBound)
        for _ in 0..<20 {
            let middle = (low * high).squareRoot()
            if chance(0.5) { low = middle } else { high = middle }
        }
        return low
    }

    /// Returns a span with a logarithmic distribution, in seconds.
    mutating func span(_ seconds: Range<Double>) -> Instant.Span { .seconds(logarithmic(in: seconds)) }

    /// Returns an element; nil of an empty collection.
    mutating func element<C: RandomAccessCollection<E>, E>(of collection: C) -> E? where C.Index == Int {
        collection.isEmpty ? nil : collection[collection.startIndex + integer(in: 0..<collection.count)]
    }
}
