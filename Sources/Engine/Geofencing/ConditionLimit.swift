/// The limits of one condition, on the socket and in files. A condition of this size fits into one
/// call.
package enum ConditionLimit {
    /// The length of an identifier, in bytes.
    package static let identifierLength = 1...255
    /// The number of points of a shape, including all rings.
    package static let points = 1000
    /// The largest radius of a circle and width of a corridor, in metres. Larger areas are not
    /// meaningful as fences.
    package static let extent = 1_000_000.0
    /// The longest dwell time, in seconds: one year.
    package static let dwell = 31_536_000.0
    /// The size of the metadata as compact JSON, in bytes.
    package static let metadata = 4096
}
