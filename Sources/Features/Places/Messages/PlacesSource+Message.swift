import SextantAPI

extension PlacesSource {
    /// The message for an imported file.
    package var message: SourceMessage {
        SourceMessage(
            name: name, contents: contents, licence: licence, attribution: attribution,
            date: date.isEmpty ? nil : date, rows: Int(rows), errors: Int(errors))
    }
}
