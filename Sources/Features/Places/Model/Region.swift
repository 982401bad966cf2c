/// An area of a data set of borders, such as a country or a time zone.
package struct Region: Sendable, Equatable {
    /// What a region is.
    package enum Kind: String, Sendable, CaseIterable {
        /// A country.
        case country
        /// A first-level division of a country.
        case division = "admin1"
        /// A time zone.
        case zone
        /// An ocean or a sea.
        case ocean
        /// A lake or a river.
        case lake
    }

    /// The number in the file.
    package var number: Int64
    /// What it is.
    package var kind: Kind
    /// The country's two letters; empty if unknown.
    package var country: String
    /// The name, or that of the time zone in the IANA database; empty if unknown.
    package var name: String

    /// Creates a region.
    package init(number: Int64, kind: Kind, country: String, name: String) {
        self.number = number
        self.kind = kind
        self.country = country
        self.name = name
    }

    /// Whether it has a country.
    package var hasCountry: Bool { kind == .country || kind == .division }
}
