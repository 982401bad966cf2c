extension WriteCorrectionsParameters {
    /// The maximum number of frames of a call.
    package static let maxFrames = 16

    /// Whether the source can be displayed: it is short and has no control characters.
    package var hasDisplayableSource: Bool {
        !source.isEmpty && FeedParameters(name: "", product: source).hasDisplayableProduct
    }
}
