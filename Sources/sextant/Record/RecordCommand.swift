import ArgumentParser
import Receivers
import Serial
import Wire

/// `sextant record`: what a receiver sends, as a capture.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Write what a receiver sends to a capture, with a header that says where it comes from.",
        discussion: """
            The bytes are written as they come, junk and all, from the moment the receiver is understood. The capture gets its name \
            only when it is whole: until then it is FILE.part. Ctrl-C ends the recording and keeps it.

            The port is opened by this command itself, so sextantd must not hold it. The header tells the place to a whole degree, \
            about 100 km; --exact tells it as it is. The sentences themselves hold every position: mind to whom you give a capture.
            """)

    @Option(help: ArgumentHelp("Port of the receiver (default: the only one plugged in).", valueName: "path"), completion: .file())
    var device: String?

    @Option(help: ArgumentHelp("Bits per second; keeps every byte, understood or not (default: found by listening).", valueName: "baud"))
    var baud: Int?

    @Option(name: .shortAndLong, help: ArgumentHelp("The capture (default: NAME-DATE.nmea).", valueName: "file"), completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("End by itself after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Option(help: ArgumentHelp("Name of the recording in its header (default: the file's).", valueName: "text"))
    var name: String?

    @Flag(help: "Tell the place in the header to six decimals.")
    var exact = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var format: OutputOptions

    func validate() throws {
        if let baud, baud <= 0 { throw ValidationError("--baud is a number of bits per second, such as 9600") }
    }

    func run() throws {
        let device = try device.map { DeviceRegister.describe($0) } ?? PortChoice.only(of: DeviceRegister.present())
        let path = output ?? RecordHeader.fileName(device: device.name, at: Clock.utc)
        // A pseudo-terminal cannot be claimed; whoever has it would lose bytes to us.
        let holders = PortHolder.holding(device.path)
        guard holders.isEmpty else { throw CommandError(device.path, heldBy: holders) }
        let listener: PortListener
        do throws(SerialError) {
            listener = try PortListener(device, speed: baud, at: Clock.now)
        } catch {
            throw CommandError(port: error)
        }
        var session = RecordSession(listener, try CaptureWriter(path, replaces: force))
        let loss = try session.run(for: duration?.span)
        let summary = try session.finish(title: name ?? CaptureFile.receiverName(of: path), isExact: exact)
        try tell(summary)
        if let loss { throw CommandError("\(device.path): \(loss); what came before is kept in \(path)") }
    }

    private func tell(_ summary: RecordSummary) throws {
        if format.isJSON { return try LineOutput.print([summary]) }
        StandardError.line(summary.words)
    }
}

/// What was recorded, as `--json` prints it.
struct RecordSummary: Encodable, Equatable {
    var file: String
    var bytes: Int
    var sentences: Int
    var fixes: Int
    /// Length of the recording.
    var seconds: Double
    var baud: Int?
}

extension RecordSummary {
    /// One line for a person.
    var words: String {
        let counted =
            "\(Fixed.grouped(sentences)) \(sentences == 1 ? "sentence" : "sentences"), \(Fixed.grouped(fixes)) \(fixes == 1 ? "fix" : "fixes")"
        return "\(file): \(RecordProgress.size(bytes)), \(counted) in \(TimeText.span(seconds))"
    }
}
