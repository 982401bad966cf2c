extension SentencesParameters {
    /// The maximum number of types.
    private static let maxTypes = 64

    /// Whether the types can be those of sentences.
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
