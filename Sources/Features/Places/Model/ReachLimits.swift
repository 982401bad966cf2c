/// The largest reaches of places by their numbers: a file numbers its places by population.
package struct ReachLimits: Sendable {
    private var numbers: [Int64] = []
    private var reaches: [Double] = []

    /// Creates limits that state nothing: the reach of a place may be any.
    package init() {}

    /// Returns the numbers of the places whose reach must be known. Each is a third larger than the
    /// one before, so that a limit is seldom a tenth too large.
    package static func numbers(to last: Int64) -> [Int64] {
        Array(sequence(first: Int64(1)) { $0 + max(1, $0 / 3) }.prefix { $0 <= last })
    }

    /// Adds the limit that a place sets for those with larger numbers. The numbers must increase.
    package mutating func append(_ place: Place, number: Int64) {
        numbers.append(number)
        reaches.append(place.reach)
    }

    /// Returns the reach of a place in metres, at most.
    package func reach(ofNumber number: Int64) -> Double {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= number { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? .infinity : reaches[low - 1]
    }
}
