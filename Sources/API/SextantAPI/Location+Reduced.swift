extension Location {
    /// Whether this is the reduced location.
    package var isReduced: Bool { accuracySource == .reduced }
}
