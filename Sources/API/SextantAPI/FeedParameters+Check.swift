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
