import ArgumentParser
import Varlink
import Wire

/// `sextant fence import`: fences from a file.
struct FenceImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the fences of a GeoJSON file.",
        discussion: """
            A Feature a fence (RFC 7946): "identifier" among its properties, or its id, is its name; a Point has "radius" in metres there, \
            a LineString "width"; "dwell" in seconds, "expires" and "assuming" are taken too. All other properties are kept as its \
            metadata. A fence of a name that is there already is replaced.
            """)

    @Argument(help: "The file; - for standard input.", completion: .file(extensions: ["geojson", "json"]))
    var file: String

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard options.monitor != nil else { throw ValidationError("say with --monitor where they go") }
    }

    func run() throws {
        guard let monitor = options.monitor else { return }
        let client = try options.daemon.connect()
        var sum = AddReply(added: 0, replaced: 0)
        for part in try FenceParcels.parts(file) {
            let wish = ImportParameters(name: monitor, geojson: part, program: options.owner)
            let reply = try FenceOptions.call(client, DaemonMethod.importConditions, wish, as: AddReply.self)
            (sum.added, sum.replaced) = (sum.added + reply.added, sum.replaced + reply.replaced)
            sum.unmonitored += reply.unmonitored
        }
        if options.output.isJSON { return try LineOutput.print([sum]) }
        let replaced = sum.replaced > 0 ? ", \(Fixed.grouped(sum.replaced)) were there already" : ""
        try StandardOutput.write(lines: ["added \(Fixed.grouped(sum.added)) to the monitor \(monitor)\(replaced)"])
        FenceWords.warn(unmonitored: sum.unmonitored)
    }
}
