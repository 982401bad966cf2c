import ArgumentParser
import Captures
import Chronology
import Delivery
import GeoJSON
import Locator
import Wire

/// `sextant replay`: the daemon's core over captures, in simulated time.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play captures into the daemon's core at full speed and print what comes out, one JSON object a line.",
        discussion: """
            The clock of this machine is never read: the same captures and options print the same bytes everywhere. A capture \
            that holds no date takes its day from a '# Date:' line at its head or from --start; else its fixes carry no timestamp.

            \(FencesFile.help)
            """)

    @Option(
        help: """
            fixes: every epoch once. updates: what a subscriber would have been sent. visits: what one who watches visits would. events: \
            of the conditions of --fences.
            """)
    var emit = Emission.fixes

    @Option(
        help: ArgumentHelp("Conditions to be watched, as GeoJSON.", valueName: "file"), completion: .file(extensions: FencesFile.endings))
    var fences: String?

    @Option(help: "json, or gpsd: the same epochs as gpsd's TPV objects.")
    var format = Format.json

    @Option(help: ArgumentHelp("Configuration of the subscriber of --emit updates.", valueName: "name"))
    var configuration = LiveConfiguration.default

    @OptionGroup var wish: StreamArguments

    @Option(help: ArgumentHelp("A moment near the recording, or its day.", valueName: "rfc3339"))
    var start: StartMoment?

    @Flag(help: "JSON is all it prints; taken so that every command takes it.")
    var json = false

    @Argument(help: "Captures: NMEA as recorded, junk and all. '-' is standard input.", completion: .file())
    var files: [String]

    enum Emission: String, ExpressibleByArgument, CaseIterable {
        case fixes, updates, visits, events
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, gpsd
    }

    func validate() throws {
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input, '-', can be played once only") }
        if emit == .events && fences == nil { throw ValidationError("--emit events needs the conditions: --fences FILE.geojson") }
        if emit != .events && fences != nil { throw ValidationError("--fences goes with --emit events") }
        if fences == "-" && files.contains("-") { throw ValidationError("standard input, '-', is either the conditions or a capture") }
        if format == .gpsd && emit != .fixes { throw ValidationError("--format gpsd prints epochs: it goes with --emit fixes") }
    }

    func run() throws {
        let conditions = try fences.map { path throws(CommandError) in try FencesFile.read(path) } ?? []
        var output = LineOutput()
        do {
            for file in files { try play(file, conditions, to: &output) }
        } catch {
            // What was played before it stands.
            try output.finish()
            throw error
        }
        try output.finish()
    }

    private func play(_ file: String, _ conditions: [FenceFeature], to output: inout LineOutput) throws {
        let bytes = try CaptureFile.read(file)
        if let tool = CaptureFile.opener(of: bytes) {
            throw CommandError("\(file) is compressed: \(tool) \(file) | sextant replay -", .noInput)
        }
        var options = Replay.Options(receiver: CaptureFile.receiverName(of: file), start: start?.moment)
        if emit == .updates { options.stream = try wish.parameters(configuration).request() }
        options.conditions = conditions.map(\.condition)
        options.watchesVisits = emit == .visits
        var replay = Replay(bytes, options)
        var printer = ReplayPrinter(emission: emit, format: format, receiver: options.receiver, identifiers: conditions.map(\.identifier))
        var progress = ReplayProgress(file: file, size: bytes.count, isShown: StandardError.isTerminal && !StandardOutput.isTerminal)
        replay.run({ effect in printer.print(effect, to: &output) }, progress: { progress.advance(to: $0) })
        progress.end()
        guard let report = replay.report, report.epochs == 0 else { return }
        let name = file == "-" ? "standard input" : file
        StandardError.line("sextant: \(name) \(ReplayRemark.onNothing(size: bytes.count, report.counts))")
    }
}

/// The argument of `--start`.
struct StartMoment: ExpressibleByArgument {
    let moment: UTCTime

    init?(argument: String) {
        guard let moment = UTCTime(dayOrMoment: argument) else { return nil }
        self.moment = moment
    }
}
