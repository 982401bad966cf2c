// What parameters may be, as their interface states it. The ranges of numbers are generated.

extension FeedParameters {
    /// The maximum length of a name in bytes.
    private static let maxNameLength = 64
    /// The maximum length of a product in bytes.
    private static let maxProductLength = 255

    /// Whether a text is the name of a receiver that a program may provide.
    package static func isName(_ text: String) -> Bool {
        (1...maxNameLength).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0)
            }
    }

    /// Whether the product can be displayed: it is short and has no control characters.
    package var hasDisplayableProduct: Bool {
        guard let product else { return true }
        return product.utf8.count <= FeedParameters.maxProductLength
            && product.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}

extension SentencesParameters {
    private static let maxTypes = 64

    package var hasValidTypes: Bool {
        guard let types else { return true }
        return (1...SentencesParameters.maxTypes).contains(types.count)
            && types.allSatisfy { type in
                (1...16).contains(type.utf8.count)
                    && type.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
            }
    }

    /// Whether a sentence with this address, such as `GNRMC` or `PUBX`, is wanted.
    package func includes(address: some Collection<UInt8>) -> Bool {
        guard let types else { return true }
        return types.contains { type in
            type.utf8.elementsEqual(address)
                || type.utf8.count == 3 && address.count == 5 && type.utf8.elementsEqual(address.dropFirst(2))
        }
    }
}

extension WriteCorrectionsParameters {
    /// The maximum number of frames of a call.
    package static let maxFrames = 16

    /// Whether the source can be displayed: it is short and has no control characters.
    package var hasDisplayableSource: Bool {
        !source.isEmpty && FeedParameters(name: "", product: source).hasDisplayableProduct
    }
}

extension ConditionSignificantChange {
    /// The distance in metres of a condition that states none, that of Core Location.
    package static let defaultDistance = 500.0
    /// The interval in seconds of a condition that states none, that of Core Location.
    package static let defaultInterval = 300.0
}
