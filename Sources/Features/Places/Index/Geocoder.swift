import Geodesy
import Glibc

/// Answers what is at a position and where a name is, from one file of places.
package final class Geocoder {
    private let file: PlacesFile
    private let countries: CountryNames
    private let translations: CountryTranslations
    private var divisionNames: [String: String?] = [:]

    /// The distance to a town in another country that decides near a border, in metres, and the
    /// distance to that border in degrees of latitude.
    private static let borderTown = 1500.0
    private static let borderDistance = 0.03
    /// The distance of a postal code's position, in metres, at most.
    private static let postalDistance = 5000.0
    /// The number of names of divisions that are kept.
    private static let maxDivisionNames = 600

    package init(
        _ file: PlacesFile, countries: CountryNames = CountryNames(),
        translations: CountryTranslations = CountryTranslations()
    ) {
        self.file = file
        self.countries = countries
        self.translations = translations
    }

    /// Describes a point; nil if nothing is known about it.
    ///
    /// The region that contains the point decides about its country, and only places of it are
    /// compared. Without regions, the country is that of the nearest place within 100 km.
    ///
    /// - Parameter language: The two or three letters of the language for names that the file has
    ///   in several.
    package func placemark(at point: Coordinate, language: String? = nil) throws(PlacesError) -> GeocodedPlace? {
        let reading = try PlaceReading(file, near: point)
        let regions = try file.regions(at: point)
        let isOutside = regions.contains(where: \.hasCountry) ? false : try file.hasCountryRegions()
        let region = try country(of: point, regions, reading, isOutside: isOutside)
        let description = try PointDescription(point, candidates: reading.candidates, in: region, read: reading.place)
        var mark = GeocodedPlace(point)
        mark.ocean = regions.first { $0.kind == .ocean }?.name
        mark.inlandWater = regions.first { $0.kind == .lake }?.name
        let zone = regions.first { $0.kind == .zone }?.name
        let isUnknown = region == nil && description.nearby == nil
        // Without areas a position far from all places may be in a desert.
        let isAtSea = isUnknown && (isOutside || mark.ocean != nil)
        mark.timeZone = zone ?? (isAtSea ? Geocoder.nauticalZone(point) : nil)
        guard !isUnknown else { return mark == GeocodedPlace(point) ? nil : mark }
        try fill(&mark, description, region, language)
        return mark
    }

    /// Returns the places with a name, and whether the first has only a part of it. Of a complete
    /// postal address that names no place, those of its town.
    ///
    /// - Parameters:
    ///   - radius: Only places within this distance from `near`, in metres.
    ///   - kinds: Only places with one of these codes of GeoNames; all if it is empty.
    package func placemarks(
        named query: PlaceQuery, near: Coordinate? = nil, radius: Double? = nil, country: String? = nil,
        kinds: [String] = [], language: String? = nil, isComplete: Bool = true, limit: Int
    ) throws(PlacesError) -> (placemarks: [GeocodedPlace], isPartial: Bool) {
        let matches = try PlaceSearch(file).matches(
            query, country: country, near: near, radius: radius, kinds: kinds, countries: countries.all,
            isComplete: isComplete, limit: limit)
        if matches.isEmpty, isComplete {
            for town in query.towns {
                let places = try placemarks(
                    named: town, near: near, radius: radius, country: country, kinds: kinds, language: language,
                    limit: limit
                ).placemarks
                if !places.isEmpty { return (places, true) }
            }
        }
        var marks: [GeocodedPlace] = []
        for match in matches { marks.append(try placemark(of: match.place, language)) }
        return (marks, matches.first.map { !$0.isExact } ?? false)
    }

    /// Returns the towns near a point, the one with the smallest distance in multiples of its reach
    /// first.
    package func towns(near point: Coordinate, language: String? = nil, limit: Int) throws(PlacesError)
        -> [GeocodedPlace]
    {
        let towns = try file.nearest(to: point).filter { !$0.isSection }.map { PlaceDistance($0, from: point) }
            .filter { $0.distance <= PointDescription.maxDistance }
            .sorted { $0.isDeeper(than: $1) }
        var marks: [GeocodedPlace] = []
        for town in towns.prefix(max(0, limit)) { marks.append(try placemark(of: town.place, language)) }
        return marks
    }

    private func placemark(of place: Place, _ language: String?) throws(PlacesError) -> GeocodedPlace {
        var mark = GeocodedPlace(place.coordinate)
        mark.radius = place.reach
        mark.locality = try file.name(of: place, language: language)
        try fillDivisions(&mark, place, language)
        mark.record = place.record == 0 ? nil : place.record
        return mark
    }

    /// The time zone at sea: hours by longitude, with the sign of POSIX.
    private static func nauticalZone(_ point: Coordinate) -> String {
        let hours = Int((point.longitude / 15).rounded())
        return hours == 0 ? "Etc/GMT" : hours > 0 ? "Etc/GMT-\(hours)" : "Etc/GMT+\(-hours)"
    }

    /// The region that decides about the country: the division or country that contains the point,
    /// near a coast the nearest one, and within 1.5 km of a town beyond a near border that of the
    /// town.
    private func country(
        of point: Coordinate, _ regions: [Region], _ reading: PlaceReading, isOutside: Bool
    ) throws(PlacesError) -> Region? {
        let containing = regions.first { $0.kind == .division } ?? regions.first { $0.kind == .country }
        var found = containing
        if found == nil, isOutside { found = try file.nearestCountry(to: point) }
        guard let region = found else { return nil }
        guard let town = try nearestTown(reading), town.country != region.country,
            !town.country.isEmpty, point.distance(to: town.coordinate) <= Geocoder.borderTown,
            try file.distanceToBorder(of: region, from: point, atMost: Geocoder.borderDistance) != nil
        else { return region }
        guard let number = town.region, let other = try file.region(number), other.country == town.country else {
            return Region(number: -1, kind: .country, country: town.country, name: "")
        }
        return other
    }

    /// The nearest place that is no section, if it is near enough to decide about the country.
    private func nearestTown(_ reading: PlaceReading) throws(PlacesError) -> Place? {
        for (index, candidate) in reading.candidates.enumerated() where candidate.minDistance <= Geocoder.borderTown {
            if let place = try reading.place(index), !place.isSection { return place }
        }
        return nil
    }

    private func fill(
        _ mark: inout GeocodedPlace, _ description: PointDescription, _ region: Region?, _ language: String?
    ) throws(PlacesError) {
        var near = description.nearest?.place
        if near == nil, let region { near = try file.farPlace(of: region, from: mark.coordinate) }
        if near == nil, region.map({ $0.country == description.nearby?.place.country }) ?? true {
            near = description.nearby?.place
        }
        let zone = mark.timeZone
        if let near { try fillDivisions(&mark, near, language) }
        mark.timeZone = zone ?? mark.timeZone
        if let code = region?.country, !code.isEmpty {
            mark.isoCountryCode = code
            mark.country = try countryName(code, language)
            if mark.timeZone == nil { mark.timeZone = try file.timeZone(ofCountry: code) }
        }
        if let locality = description.locality {
            mark.locality = try file.name(of: locality.place, language: language)
            mark.record = locality.place.record == 0 ? nil : locality.place.record
            let code = locality.place.subdivisionCode
            mark.subAdministrativeArea = try code.flatMap { code throws(PlacesError) in
                try divisionName(code, language)
            }
        } else {
            mark.subAdministrativeArea = nil
        }
        mark.subLocality = try description.section.map { section throws(PlacesError) in
            try file.name(of: section.place, language: language)
        }
        mark.nearby = try description.nearby.map { nearby throws(PlacesError) in
            GeocodedPlace.Nearby(
                nearby, name: try file.name(of: nearby.place, language: language), point: mark.coordinate)
        }
        guard let country = mark.isoCountryCode else { return }
        mark.postalCode = try file.postalCode(at: mark.coordinate, country: country, within: Geocoder.postalDistance)
    }

    /// Sets the country, the divisions and the time zone to those of a place.
    private func fillDivisions(_ mark: inout GeocodedPlace, _ place: Place, _ language: String?) throws(PlacesError) {
        if !place.country.isEmpty {
            mark.isoCountryCode = place.country
            mark.country = try countryName(place.country, language)
        }
        if let code = place.divisionCode {
            mark.administrativeArea = try divisionName(code, language)
        }
        if let code = place.subdivisionCode {
            mark.subAdministrativeArea = try divisionName(code, language)
        }
        if !place.timeZone.isEmpty { mark.timeZone = place.timeZone }
    }

    /// The name of a country. Imported names in the language come first.
    private func countryName(_ code: String, _ language: String?) throws(PlacesError) -> String? {
        let known = try divisionName(code, nil)
        guard let language else { return known }
        let translated = try file.divisionName(code, language: language)
        // Without a name in the language, the file returns the one without a language, or none.
        let isTranslated = translated != nil && translated != known
        return (isTranslated ? translated : translations.name(code, in: language) ?? translated) ?? known
    }

    /// The name of a country or division. Those without a language are kept: answers often have the
    /// same.
    private func divisionName(_ code: String, _ language: String?) throws(PlacesError) -> String? {
        guard language == nil else { return try file.divisionName(code, language: language) }
        if let known = divisionNames[code] { return known }
        let name = try file.divisionName(code, language: nil) ?? countries.name(code)
        if divisionNames.count >= Geocoder.maxDivisionNames {
            // Codes of two letters are countries.
            divisionNames = divisionNames.filter { $0.key.utf8.count == 2 }
        }
        divisionNames[code] = .some(name)
        return name
    }
}

/// The places nearest to a point. Each is read from the file when it is needed: most of them are
/// too small and too far to matter.
final class PlaceReading {
    /// The candidates, the nearest first.
    let candidates: [PlaceCandidate]

    private let file: PlacesFile
    private var places: [Int: Place] = [:]

    /// Finds the places near a point, as many as describe it.
    init(_ file: PlacesFile, near point: Coordinate) throws(PlacesError) {
        self.file = file
        candidates = try file.candidates(near: point)
    }

    /// Returns a place by its index in ``candidates``; nil if the file has no such row.
    func place(_ index: Int) throws(PlacesError) -> Place? {
        if let known = places[index] { return known }
        let place = try file.place(candidates[index].number)
        places[index] = place
        return place
    }
}
