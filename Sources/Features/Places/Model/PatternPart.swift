/// A part of a pattern, between two `*`.
struct PatternPart: Sendable, Equatable {
    /// What a `?` is in the text of a part: a value that is no character (Unicode, section 23.7).
    static let any: Unicode.Scalar = "\u{FFFF}"

    let scalars: [Unicode.Scalar]
    /// For each character, where in the part it may stand, as bits; ``others`` for any other one.
    private let masks: [Unicode.Scalar: [UInt64]]
    private let others: [UInt64]

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        func mask(_ scalar: Unicode.Scalar) -> [UInt64] {
            var mask = [UInt64](repeating: 0, count: scalars.count / 64 + 1)
            for (index, own) in scalars.enumerated() where own == scalar || own == PatternPart.any {
                mask[index / 64] |= 1 << (index % 64)
            }
            return mask
        }
        self.scalars = scalars
        masks = Dictionary(uniqueKeysWithValues: Set(scalars).map { ($0, mask($0)) })
        others = mask(PatternPart.any)
    }

    /// Whether it has a `?`.
    var hasAny: Bool { scalars.contains(PatternPart.any) }

    func begins(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        text.count >= scalars.count && zip(scalars, text).allSatisfy { $0 == PatternPart.any || $0 == $1 }
    }

    /// The index after its first occurrence; nil if there is none. The time grows with the length
    /// of the text and a 64th of its own (Baeza-Yates and Gonnet, 1992).
    func end(in text: ArraySlice<Unicode.Scalar>) -> Int? {
        guard let last = scalars.indices.last else { return text.startIndex }
        // Bit n: the text up to here ends with the first n + 1 characters of the part.
        var found = others.map { _ in UInt64(0) }
        for (index, scalar) in zip(text.indices, text) {
            let mask = masks[scalar] ?? others
            var carry: UInt64 = 1
            for word in found.indices {
                let shifted = found[word] << 1 | carry
                carry = found[word] >> 63
                found[word] = shifted & mask[word]
            }
            if found[last / 64] >> (last % 64) & 1 == 1 { return index + 1 }
        }
        return nil
    }
}
