import ArgumentParser
import Glibc
import Places
import Varlink

/// `sextant places import`.
struct PlacesImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files; they replace the data that is there.",
        discussion: """
            Name all files in one command; their formats are recognised. Of GeoNames: places, divisions, countries, \
            postal codes and names. Areas in GeoJSON, such as Natural Earth's countries and divisions or time zones. \
            Places as comma-separated values with a header. If an import fails, the previous data stays.

            Example: sextant places import cities500.txt admin1CodesASCII.txt admin2Codes.txt countryInfo.txt
            """)

    @Argument(help: "The unzipped files.", completion: .file())
    var files: [String]

    @Option(help: ArgumentHelp("The licence of files whose format does not state it.", valueName: "name"))
    var licence: String?

    @Option(help: ArgumentHelp("The text that this licence requires with answers.", valueName: "text"))
    var attribution: String?

    @Option(
        help: ArgumentHelp(
            "Kind of the areas in GeoJSON files that do not state it: country, admin1, zone, ocean or lake.",
            valueName: "kind"))
    var kind: Region.Kind?

    @Option(
        help: ArgumentHelp(
            "GeoJSON property that has the country code, the time zone or the name.", valueName: "property"))
    var code: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let progress = ImportProgress(files)
        var places = PlaceImport(
            into: .ofProcess,
            options: ImportOptions(licence: licence, attribution: attribution, kind: kind, code: code)
        ) { progress.show($0) }
        defer { progress.end() }
        do throws(PlacesError) {
            try places.run(files)
        } catch {
            throw CommandError(error)
        }
        progress.end()
        for line in places.invalidLines { StandardError.line(line.text) }
        if places.errors > places.invalidLines.count {
            StandardError.line("and \(places.errors - Int64(places.invalidLines.count)) more")
        }
        if output.isJSON {
            try JSONLineWriter.print(["places": .int(places.rows), "errors": .int(places.errors)])
        } else {
            let imported = DecimalText.count(Int(places.rows), "place")
            let invalid = DecimalText.count(Int(places.errors), "line was", "lines were")
            try StandardOutput.write(lines: ["imported \(imported); \(invalid) invalid"])
        }
    }
}

extension Region.Kind: ExpressibleByArgument {}

/// The progress of an import on a terminal.
private final class ImportProgress {
    private let total: Int64
    private var shown: Int64 = -1

    init(_ files: [String]) {
        total = files.reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Shows the part that was read. The index is built after the last byte.
    func show(_ bytes: Int64) {
        let percent = total > 0 ? min(100, bytes * 100 / total) : 100
        guard StandardError.isTerminal, percent != shown else { return }
        shown = percent
        StandardError.overwriteLine(percent < 100 ? "reading \(percent) %" : "indexing")
    }

    /// Clears the line.
    func end() {
        if shown >= 0 { StandardError.overwriteLine("") }
        shown = -1
    }
}
