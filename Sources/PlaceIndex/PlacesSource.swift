/// Where the data of a file of places comes from.
package struct PlacesSource: Sendable, Equatable {
    /// The name of the data set.
    package var name: String
    /// The licence of the data.
    package var licence: String
    /// The text that the licence requires.
    package var attribution: String
    /// The number of places.
    package var rows: Int64
    /// The number of lines that were not valid.
    package var errors: Int64
}
