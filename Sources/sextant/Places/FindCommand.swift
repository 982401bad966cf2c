import ArgumentParser
import PlaceIndex
import Places

/// `sextant find TEXT`: prints the positions of the places with a name.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the positions of the places with a name, without the daemon.",
        discussion: """
            The words of the text are beginnings of words of a name. After a comma, name the country by its two \
            letters or the division by its code or name: sextant find "Springfield, Illinois". Exit with status 2 if \
            there is no such place.
            """)

    @Argument(help: "The name.")
    var text: String

    @Option(help: ArgumentHelp("Prefer places near this position.", valueName: "lat,lon"))
    var near: PositionArgument?

    @Option(help: ArgumentHelp("Only places of this country, by its two letters.", valueName: "code"))
    var country: String?

    @Option(help: ArgumentHelp("The number of places, 50 at most.", valueName: "number"))
    var limit = 5

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...50).contains(limit) else { throw ValidationError("--limit must be 1 to 50") }
        guard PlaceQuery(text) != nil else {
            throw ValidationError("the text must have 1 to 8 words before the first comma, and 256 bytes at most")
        }
    }

    func run() throws {
        guard let query = PlaceQuery(text) else { return }
        let placemarks = try PlacesCommand.withFile { file in
            try file.search(query, country: country, near: near?.coordinate, limit: limit).map {
                PlacemarkOutput($0.place, at: $0.place.coordinate, division: try file.divisionName(of: $0.place))
            }
        }
        if output.isJSON {
            try JSONLineWriter.print([PlacemarksOutput(placemarks: placemarks)])
        } else {
            try StandardOutput.write(lines: placemarks.map { "\($0.latitude),\($0.longitude) · \($0.text)" })
        }
        guard !placemarks.isEmpty else {
            throw CommandError("there is no place named \(text)", exitStatus: .noResult)
        }
    }
}
