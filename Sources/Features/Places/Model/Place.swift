import Geodesy
import Glibc

/// A named place of a gazetteer.
package struct Place: Sendable, Equatable {
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
    /// GeoNames' code of the second-level division within the first-level one; empty if unknown.
    package var subdivision: String
    /// The number of inhabitants; 0 if unknown.
    package var population: Int64
    /// The time zone's name in the IANA database; empty if unknown.
    package var timeZone: String
    /// The region that the centre is in, by its number in the file; nil if it is in none.
    package var region: Int64?
    /// The number of the gazetteer's record; 0 if it has none.
    package var record: Int64

    /// The kind of a place that is no seat and no section.
    package static let usualKind = "PPL"

    package init(
        name: String, coordinate: Coordinate, kind: String = Place.usualKind, country: String = "",
        division: String = "",
        subdivision: String = "", population: Int64 = 0, timeZone: String = "", region: Int64? = nil,
        record: Int64 = 0
    ) {
        self.name = name
        self.coordinate = coordinate
        self.kind = kind
        self.country = country
        self.division = division
        self.subdivision = subdivision
        self.population = population
        self.timeZone = timeZone
        self.region = region
        self.record = record
    }

    /// The distance from the centre within which a point probably is in the place, in metres.
    ///
    /// 30 m times the population to the power of 0.4, at least 1 km. The constants gave the right
    /// city at most of 564 large cities, 3 km and 6 km from their centres.
    package var reach: Double { Place.reach(ofPopulation: Double(population)) }

    /// Returns the reach of a place of this population, in metres.
    static func reach(ofPopulation population: Double) -> Double { max(1000, 30 * pow(max(0, population), 0.4)) }

    /// Whether it is a section of another place.
    package var isSection: Bool { kind == "PPLX" }

    /// The code of the first-level division with its country, such as `NL.03`; nil if unknown.
    package var divisionCode: String? { country.isEmpty || division.isEmpty ? nil : "\(country).\(division)" }

    /// The code of the second-level division, such as `US.CA.075`; nil if unknown.
    package var subdivisionCode: String? {
        guard let divisionCode, !subdivision.isEmpty else { return nil }
        return "\(divisionCode).\(subdivision)"
    }
}
