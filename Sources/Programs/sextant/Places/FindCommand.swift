import ArgumentParser
import Geodesy
import PlaceWire
import Places

/// `sextant find TEXT`: prints the positions of the places with a name.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find places by name and print their positions.",
        discussion: """
            Each word of the text must be the beginning of a word of the name. After a comma, name the country or the \
            division: sextant find "Springfield, Illinois". A few typing errors are tolerated. Exit with status 2 if \
            there is no such place. Only --near here needs the daemon.
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
        let found = try PlacesFolder.ofProcess.withFile { file in
            try Geocoder(file).placemarks(
                named: query, near: near, country: country, language: UserLanguage.code, limit: limit)
        }
        if output.isJSON {
            try JSONLineWriter.print([
                ForwardReply(placemarks: found.placemarks.map { PlacemarkMessage($0) }, partial: found.isPartial)
            ])
        } else {
            try StandardOutput.write(
                lines: found.placemarks.map { "\($0.coordinate.latitude),\($0.coordinate.longitude) · \($0.text)" })
        }
        guard !found.placemarks.isEmpty else {
            throw CommandError("there is no place named \(text)", exitStatus: .noResult)
        }
    }
}
