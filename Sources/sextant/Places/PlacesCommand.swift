import ArgumentParser
import Glibc
import PlaceImport
import PlaceIndex

/// `sextant places`: imports, shows, checks and removes the data of places.
struct PlacesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places",
        abstract: "Manage the data with which where and find name positions.",
        discussion: """
            The data is in /var/lib/sextant-places, or in the folder that SEXTANT_PLACES names. Everything works \
            without the daemon and without a network.
            """,
        subcommands: [
            PlacesListCommand.self, PlacesImportCommand.self, PlacesCheckCommand.self, PlacesRemoveCommand.self,
        ],
        defaultSubcommand: PlacesListCommand.self)

    /// The folder of this process.
    static var folder: PlacesFolder { PlacesFolder(named: getenv("SEXTANT_PLACES").map { String(cString: $0) }) }

    /// Calls `body` with the open file of places.
    static func withFile<R>(_ body: (PlacesFile) throws -> R) throws -> R {
        do {
            let file = try PlacesFile(folder)
            return try body(file)
        } catch let error as PlacesError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// Creates the error of a file of places.
    init(_ error: PlacesError) {
        self.init(error.description, exitStatus: .noInput)
    }
}

/// `sextant places list`.
struct PlacesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the source of the data.")

    @OptionGroup var output: OutputOptions

    func run() throws {
        let source = try PlacesCommand.withFile { try $0.source() }
        if output.isJSON {
            try JSONLineWriter.print([SourceOutput(source)])
        } else {
            try StandardOutput.write(lines: [
                "\(source.name) · \(source.rows) places · \(source.errors) invalid lines · \(source.licence)",
                source.attribution,
            ])
        }
    }

    private struct SourceOutput: Encodable {
        var name: String
        var licence: String
        var attribution: String
        var rows: Int64
        var errors: Int64

        init(_ source: PlacesSource) {
            name = source.name
            licence = source.licence
            attribution = source.attribution
            rows = source.rows
            errors = source.errors
        }
    }
}

/// `sextant places import`.
struct PlacesImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files of GeoNames; they replace the data that is there.",
        discussion: """
            Each file is a list of places with 19 columns, such as cities500.txt, or of divisions with 4 columns, such \
            as admin1CodesASCII.txt. Name all of them in one command.
            """)

    @Argument(help: "The unzipped files.")
    var files: [String]

    func run() throws {
        var places = PlaceImport(into: PlacesCommand.folder)
        do throws(PlacesError) {
            try places.run(files)
        } catch {
            throw CommandError(error)
        }
        for line in places.invalidLines { StandardError.line("\(line.path):\(line.number): invalid line") }
        try StandardOutput.write(lines: ["imported \(places.rows) places; \(places.errors) lines were invalid"])
    }
}

/// `sextant places check`.
struct PlacesCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "check", abstract: "Verify the whole file.")

    func run() throws {
        try PlacesCommand.withFile { try $0.check() }
        try StandardOutput.write(lines: ["\(PlacesCommand.folder.file) is intact"])
    }
}

/// `sextant places remove`.
struct PlacesRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove the data.")

    func run() throws {
        let path = PlacesCommand.folder.file
        guard unlink(path) == 0 else { throw CommandError.system("removing \(path)", code: errno) }
    }
}
