@_exported import SextantAPI

extension PlacesInterface {
    /// The largest number of places in a reply.
    package static let maxLimit = 50
    /// The largest number of kinds in a call.
    package static let maxKinds = 16
    /// The largest number of own places, or of identifiers, in a call.
    package static let maxOwnPlaces = 500
    /// The largest number of own places in a reply.
    package static let maxListedPlaces = 100
}
