/// The number of typing errors between two words.
package enum SpellingDistance {
    /// The number of errors that a word of this length may have: one, or two from six letters.
    package static func allowed(length: Int) -> Int { length < 6 ? 1 : 2 }

    /// Returns the least number of insertions, deletions, replacements and swaps of neighbours that
    /// make one text of the other, where no letter is changed twice (optimal string alignment).
    ///
    /// - Parameter limit: Beyond it nil is returned, mostly without a comparison.
    package static func between(
        _ first: [Unicode.Scalar], _ second: [Unicode.Scalar], atMost limit: Int
    ) -> Int? {
        guard abs(first.count - second.count) <= limit else { return nil }
        var previous = [Int](repeating: 0, count: second.count + 1)
        var current = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            let before = previous
            previous = current
            current[0] = row + 1
            for (column, other) in second.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], other == first[row - 1] {
                    least = min(least, before[column - 1] + 1)
                }
                current[column + 1] = least
            }
            if current.allSatisfy({ $0 > limit }) { return nil }
        }
        guard let distance = current.last, distance <= limit else { return nil }
        return distance
    }
}
