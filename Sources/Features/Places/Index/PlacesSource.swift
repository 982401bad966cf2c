import SextantAPI

/// Where a part of the data in a file of places comes from: one imported file.
package struct PlacesSource: Sendable, Equatable {
    /// The name of the imported file.
    package var name: String
    /// What it contains, such as "places".
    package var contents: String
    /// The licence of the data.
    package var licence: String
    /// The text that the licence requires.
    package var attribution: String
    /// The date of the newest change in the data, such as "2026-11-20"; empty if it has none.
    package var date: String
    /// The number of records.
    package var rows: Int64
    /// The number of lines that were not valid.
    package var errors: Int64

    /// Creates a description of an imported file.
    package init(
        name: String, contents: String, licence: String, attribution: String, date: String = "", rows: Int64 = 0,
        errors: Int64 = 0
    ) {
        self.name = name
        self.contents = contents
        self.licence = licence
        self.attribution = attribution
        self.date = date
        self.rows = rows
        self.errors = errors
    }
}

extension PlacesSource {
    /// The message for an imported file.
    package var message: SourceMessage {
        SourceMessage(
            name: name, contents: contents, licence: licence, attribution: attribution,
            date: date.isEmpty ? nil : date, rows: Int(rows), errors: Int(errors))
    }
}
