import ArgumentParser
import Geodesy
import Places
import SextantAPI

/// `sextant find TEXT`: prints the positions of the places with a name.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find places by name and print their positions.",
        discussion: """
            Each word of the text must be the beginning of a word of the name. After a comma, name the country or the \
            division: sextant find "Springfield, Illinois". A few typing errors are tolerated. After the places come \
            the items that programs have indexed: your own, and for user 0 those of all programs, with the program's \
            name. Exit with status 2 if nothing is found. Only --near here needs the daemon.
            """)

    @Argument(help: "The name.")
    var text: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Prefer places near this position, or near the device.", valueName: "lat,lon|here"),
        transform: NearArgument.parse)
    var near: NearArgument?

    @Option(help: ArgumentHelp("Only places of this country, by its two letters.", valueName: "code"))
    var country: String?

    @Option(help: ArgumentHelp("The number of places, 50 at most.", valueName: "number"))
    var limit = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (1...PlacesInterface.maxLimit).contains(limit) else {
            throw ValidationError("--limit must be 1 to \(PlacesInterface.maxLimit)")
        }
        guard PlaceQuery(text) != nil else {
            throw ValidationError(
                "the text must have 1 to 8 words of letters or numbers before the first comma, and 256 bytes at most")
        }
        if let country, country.utf8.count != 2 {
            throw ValidationError("--country needs the two letters of a country")
        }
    }

    func run() throws {
        guard let query = PlaceQuery(text) else { return }
        let near = try near?.coordinate(daemon)
        let items = country == nil ? IndexedItems(named: text, near: near, limit: limit, beside: daemon.socket) : nil
        let places: (placemarks: [GeocodedPlace], isPartial: Bool)
        do throws(PlacesError) {
            places = try Geocoder(try PlacesFile(.ofProcess)).placemarks(
                named: query, near: near, country: country, language: UserLanguage.code, limit: limit)
        } catch {
            // Items need no data.
            guard items != nil else { throw CommandError(error) }
            let isAbsent = if case .noPlaces = error { true } else { false }
            if !isAbsent { StandardError.line("places are not searched: \(error)") }
            places = ([], false)
        }
        if output.isJSON {
            try JSONLineWriter.print([
                ForwardReply(placemarks: places.placemarks.map { Placemark($0) }, partial: places.isPartial)
            ])
            if let items { try JSONLineWriter.print([items.reply]) }
        } else {
            try StandardOutput.write(
                lines: places.placemarks.map { "\($0.coordinate.latitude),\($0.coordinate.longitude) · \($0.text)" })
            if let items { try StandardOutput.write(lines: items.lines) }
        }
        guard !places.placemarks.isEmpty || items != nil else {
            throw CommandError("there is no place named \(text)", exitStatus: .noResult)
        }
    }
}

extension DaemonOptions {
    /// The age of the device's position, in seconds, at most.
    private static let maxAge = 10.0

    /// Returns the position of the device as this program may know it, and whether it is reduced.
    func devicePosition() throws(CommandError) -> (Coordinate, isReduced: Bool) {
        try declareSession()
        let reply = try call(
            LocationMethods.getLocation, with: GetLocationParameters(maximumAge: DaemonOptions.maxAge),
            timeout: .seconds(15))
        let location = reply.location
        guard let point = Coordinate(latitude: location.latitude, longitude: location.longitude) else {
            throw CommandError("the daemon sent no valid position")
        }
        return (point, location.isReduced)
    }
}

/// The position near which places come first.
enum NearArgument: Equatable {
    /// The position of the device.
    case here
    case position(PositionArgument)

    static func parse(_ argument: String) throws -> NearArgument {
        argument == "here" ? .here : .position(try PositionArgument.parse(argument))
    }

    /// The position; that of the device is asked from the daemon.
    func coordinate(_ daemon: DaemonOptions) throws(CommandError) -> Coordinate {
        switch self {
        case .here: try daemon.devicePosition().0
        case .position(let position): position.coordinate
        }
    }
}

/// A latitude and a longitude, separated by a comma.
struct PositionArgument: Equatable {
    let coordinate: Coordinate

    /// Parses the argument of a command.
    ///
    /// - Throws: `ValidationError` that states the order and the range.
    static func parse(_ argument: String) throws -> PositionArgument {
        let order = "write the latitude first, -90 to 90, then a comma and the longitude, -180 to 180"
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, let latitude = number(parts[0]), let longitude = number(parts[1]) else {
            throw ValidationError("\"\(argument)\" is not a position: \(order)")
        }
        guard abs(latitude) <= 90 else {
            let swapped = abs(latitude) <= 180 && abs(longitude) <= 90 ? "; are they swapped?" : ""
            throw ValidationError("the latitude \(parts[0]) is out of range: \(order)\(swapped)")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw ValidationError("the longitude \(parts[1]) is out of range: \(order)")
        }
        return PositionArgument(coordinate: coordinate)
    }

    private static func number(_ text: Substring) -> Double? {
        Double(text.drop { $0 == " " }).flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The place that a text names, for a command that needs exactly one.
struct FoundPlace {
    let point: Point

    /// The population of a place relative to the first one's, from which a text is ambiguous.
    private static let similarSize = 0.5

    /// Finds a place by its whole name.
    ///
    /// - Throws: An error with choices if there is none, only similar names, or several of a
    ///   similar size.
    init(named text: String, in folder: PlacesFolder = .ofProcess) throws(CommandError) {
        guard let query = PlaceQuery(text) else {
            throw CommandError("there is no place named \"\(text)\": write its name, and the country after a comma")
        }
        let matches: [PlaceMatch]
        let lines: [String]
        do throws(PlacesError) {
            let file = try PlacesFile(folder)
            matches = try PlaceSearch(file).matches(query, countries: CountryNames().all, limit: 5)
            lines = try Geocoder(file).placemarks(named: query, limit: 5).placemarks.map(\.text)
        } catch {
            throw CommandError(error)
        }
        guard let first = matches.first else {
            throw CommandError("there is no place named \(text)", exitStatus: .noResult)
        }
        guard first.isExact else {
            throw CommandError(
                "there is no place named \(text); similar names are:", choices: lines, exitStatus: .noResult)
        }
        let size = Double(first.place.population) * FoundPlace.similarSize
        let rivals = matches.dropFirst().filter { $0.isExact && Double($0.place.population) >= size }
        guard rivals.isEmpty else {
            throw CommandError("several places are named \(text); add the country or division:", choices: lines)
        }
        point = Point(
            latitude: first.place.coordinate.latitude, longitude: first.place.coordinate.longitude)
    }
}
