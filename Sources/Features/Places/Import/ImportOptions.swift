/// What the user states about files whose format does not state it.
package struct ImportOptions: Sendable, Equatable {
    /// The licence of the data.
    package var licence: String?
    /// The text that the licence requires.
    package var attribution: String?
    /// What the areas of a GeoJSON file are.
    package var kind: Region.Kind?
    /// The property of an area with its code: the country's letters, the time zone or the name.
    package var code: String?

    /// Creates options.
    package init(
        licence: String? = nil, attribution: String? = nil, kind: Region.Kind? = nil, code: String? = nil
    ) {
        self.licence = licence
        self.attribution = attribution
        self.kind = kind
        self.code = code
    }
}
