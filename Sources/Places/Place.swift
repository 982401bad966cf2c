import Geodesy
import Glibc

/// A named place of a gazetteer.
package struct Place: Sendable, Equatable {
    /// The name in the gazetteer.
    package var name: String
    /// The position of its centre.
    package var coordinate: Coordinate
    /// GeoNames' feature code, such as `PPLC` for the capital of a country
    /// (https://www.geonames.org/export/codes.html).
    package var kind: String
    /// The country's two letters (ISO 3166-1); empty if unknown.
    package var country: String
    /// GeoNames' code of the first-level division within the country; empty if unknown.
    package var division: String
    /// The number of inhabitants; 0 if unknown.
    package var population: Int64
    /// The time zone's name in the IANA database; empty if unknown.
    package var timeZone: String

    /// Creates a place.
    package init(
        name: String, coordinate: Coordinate, kind: String = "PPL", country: String = "", division: String = "",
        population: Int64 = 0, timeZone: String = ""
    ) {
        self.name = name
        self.coordinate = coordinate
        self.kind = kind
        self.country = country
        self.division = division
        self.population = population
        self.timeZone = timeZone
    }

    /// The distance from the centre within which a point probably is in the place, in metres.
    ///
    /// 30 m times the population to the power of 0.4, at least 1 km. The constants gave the right
    /// city at most of 564 large cities, 3 km and 6 km from their centres.
    package var reach: Double { max(1000, 30 * pow(Double(max(0, population)), 0.4)) }

    /// Whether it is a section of another place.
    package var isSection: Bool { kind == "PPLX" }
}
