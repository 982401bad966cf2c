import ArgumentParser
import Bridges
import Chronology
import Geofencing
import Locator
import NMEA
import Positioning
import SextantAPI

/// `sextant replay`: runs the daemon's core over captures in simulated time.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run the daemon's core over captures at full speed and print the results, one JSON object per line.",
        discussion: """
            The host's clock is never read: the same captures and options give identical output on every machine. A \
            capture without a date takes its day from a '# Date:' line in its header or from --start; otherwise its \
            fixes have no timestamp.

            \(FencesFile.help)
            """)

    @Option(
        help: """
            fixes: every epoch once. updates, visits, headings: what a subscriber would have received. events: the \
            events of the conditions of --fences.
            """)
    var emit = Emission.fixes

    @Option(
        help: ArgumentHelp("GeoJSON file of conditions to monitor.", valueName: "file"),
        completion: .file(extensions: FencesFile.fileExtensions))
    var fences: String?

    @Option(help: "json, or gpsd: the same epochs as gpsd TPV objects.")
    var format = Format.json

    @Option(help: ArgumentHelp("Configuration of the stream of --emit updates.", valueName: "name"))
    var configuration = Configuration.default

    @OptionGroup var streamOptions: StreamArguments

    @Option(help: ArgumentHelp("Date, or a time close to that of the recording.", valueName: "rfc3339"))
    var start: StartMoment?

    @Flag(help: "Accepted for consistency; the output is always JSON.")
    var json = false

    @Argument(help: "Captures: NMEA as recorded, including invalid data. '-' is standard input.", completion: .file())
    var files: [String]

    enum Emission: String, ExpressibleByArgument, CaseIterable {
        case fixes, updates, visits, headings, events
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case json, gpsd
    }

    func validate() throws {
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input ('-') can be given only once")
        }
        if emit == .events && fences == nil {
            throw ValidationError("--emit events requires conditions: --fences FILE.geojson")
        }
        if emit != .events && fences != nil { throw ValidationError("--fences requires --emit events") }
        if fences == "-" && files.contains("-") {
            throw ValidationError("standard input ('-') cannot be both the conditions and a capture")
        }
        if format == .gpsd && emit != .fixes {
            throw ValidationError("--format gpsd prints epochs: it requires --emit fixes")
        }
    }

    func run() throws {
        let conditions = try fences.map { path throws(CommandError) in try FencesFile.read(path) } ?? []
        var output = JSONLineWriter()
        do {
            var reasons: [String] = []
            for file in files {
                if let reason = try play(file, watching: conditions, to: &output) { reasons.append(reason) }
            }
            if reasons.count == files.count {
                throw CommandError(reasons.joined(separator: "; "), exitStatus: .noInput)
            }
            for reason in reasons { StandardError.line("sextant: \(reason)") }
        } catch {
            // Keep the output of what was replayed before the error.
            try output.finish()
            throw error
        }
        try output.finish()
    }

    /// Plays one capture. Returns the reason if it has no epoch; nil if it has some.
    private func play(
        _ file: String, watching conditions: [FenceFeature], to output: inout JSONLineWriter
    ) throws -> String? {
        var options = Replay.Options(receiver: CaptureFile.receiverName(of: file), start: start?.moment)
        if emit == .updates { options.stream = try streamOptions.parameters(configuration).request() }
        options.conditions = conditions.map(\.condition)
        options.watchesVisits = emit == .visits
        options.watchesHeading = emit == .headings
        var replay = Replay(options: options)
        var printer = ReplayPrinter(
            emission: emit, format: format, receiver: options.receiver, identifiers: conditions.map(\.identifier))
        var progress = ReplayProgress(
            file: file, isShown: StandardError.isTerminal && !StandardOutput.isTerminal)
        defer { progress.end() }
        try CaptureFile.readParts(of: file) { part, size throws(CommandError) in
            if replay.size == 0, let tool = CaptureFile.decompressor(of: part) {
                throw CommandError(
                    "\(file) is compressed; use: \(tool) \(file) | sextant replay -", exitStatus: .noInput)
            }
            replay.receive(part) { printer.print($0, to: &output) }
            progress.advance(to: replay.size, of: size)
        }
        replay.finish { printer.print($0, to: &output) }
        guard let report = replay.report, report.epochs == 0 else { return nil }
        let name = file == "-" ? "standard input" : file
        return "\(name) \(ReplayCommand.missingEpochsReason(size: replay.size, counts: report.counts))"
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

extension ReplayCommand {
    /// Returns the reason why a capture of `size` bytes with these counts has no epoch. The text
    /// follows the file name.
    private static func missingEpochsReason(size: Int, counts: InputCounts) -> String {
        if size == 0 { return "is empty" }
        if counts.sentences > 0 {
            let some = counts.sentences == 1 ? "one sentence" : "\(counts.sentences) sentences"
            return "contains \(some), but none with a position, such as GGA or RMC"
        }
        let bad = "contains no sentence with a valid checksum; "
        if counts.checksumErrors > 0 {
            return bad + DecimalText.count(counts.checksumErrors, "has", "have") + " an invalid one"
        }
        if counts.missingChecksums > 0 {
            return bad + DecimalText.count(counts.missingChecksums, "has", "have") + " none"
        }
        return "contains no NMEA sentence"
    }
}

/// The progress of a long replay on standard error. Short replays and those without a terminal show
/// none.
struct ReplayProgress {
    /// The minimum size in bytes for a progress display. A smaller replay ends before the user can
    /// read it.
    private static let minSize = 8 << 20
    private static let step = 100

    private let file: String
    private let isShown: Bool
    private var shown = -1

    init(file: String, isShown: Bool) {
        self.file = file
        self.isShown = isShown
    }

    /// Updates the progress to the number of bytes replayed, of a file of this size in bytes; 0 if
    /// unknown.
    mutating func advance(to position: Int, of size: Int) {
        guard isShown, size >= ReplayProgress.minSize else { return }
        let percent = position / (size / ReplayProgress.step)
        guard percent != shown else { return }
        shown = percent
        StandardError.overwriteLine("\(file): \(min(percent, 100)) % of \(RecordProgress.size(size))")
    }

    /// Clears the progress line.
    func end() {
        if shown >= 0 { StandardError.overwriteLine("") }
    }
}

/// Prints the effects of a replay as lines.
struct ReplayPrinter {
    let emission: ReplayCommand.Emission
    let format: ReplayCommand.Format
    let receiver: String
    /// The names of the conditions, in order.
    let identifiers: [String]
    private var sequence = 0

    init(emission: ReplayCommand.Emission, format: ReplayCommand.Format, receiver: String, identifiers: [String] = []) {
        self.emission = emission
        self.format = format
        self.receiver = receiver
        self.identifiers = identifiers
    }

    mutating func print(_ effect: Effect, to output: inout JSONLineWriter) {
        switch (effect, emission) {
        case (.receiver(.epoch(_, let fix)), .fixes):
            if format == .gpsd {
                output.write(TPV(fix))
            } else {
                output.write(EpochLine(fix, receiver: receiver))
            }
        case (.request(.publish(let update, _)), .updates):
            sequence += 1
            output.write(SubscribeReply(sequence: sequence, dropped: 0, update))
        case (.fence(.changed(let events)), .events):
            for event in events {
                let index = Int(event.condition.rawValue) - 1
                guard identifiers.indices.contains(index) else { continue }
                output.write(EventLine(event, identifier: identifiers[index], receiver: receiver))
            }
        case (.visit(let visit?, _), .visits): output.write(VisitUpdate(visit))
        case (.heading(let update, _), .headings): output.write(HeadingUpdate(update))
        default: break
        }
    }
}
