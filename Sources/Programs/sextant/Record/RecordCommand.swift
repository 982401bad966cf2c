import ArgumentParser
import Receivers
import SerialPorts
import SystemCalls

/// `sextant record`: records the data of a receiver as a capture.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record the data of a receiver as a capture, with a header that describes its origin.",
        discussion: """
            Bytes are written unchanged, including invalid data, once the baud rate is detected. The capture gets \
            its name when it is complete; until then it is FILE.part. Ctrl-C ends the recording and keeps it.

            This command opens the port itself, so sextantd must not have it open. With --receiver it records the \
            sentences that sextantd receives, while it runs: those with a correct checksum. The header gives the place \
            rounded to a whole degree, about 100 km; --exact gives it unrounded. The sentences contain every \
            position: share captures with care.
            """)

    @Option(
        help: ArgumentHelp("Port of the receiver (default: the only connected one).", valueName: "path"),
        completion: .file())
    var device: String?

    @Option(
        help: ArgumentHelp("Record this receiver of sextantd, by name or port, while sextantd runs.", valueName: "name")
    )
    var receiver: String?

    @Option(help: ArgumentHelp("Baud rate; records every byte, valid or not (default: detected).", valueName: "baud"))
    var baud: Int?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("File to write (default: NAME-DATE.nmea).", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Option(help: ArgumentHelp("Name of the recording in its header (default: the file name).", valueName: "text"))
    var name: String?

    @Flag(help: "Give the place in the header with six decimals.")
    var exact = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var format: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if let baud, baud <= 0 { throw ValidationError("--baud must be a number of bits per second, such as 9600") }
        if receiver != nil, device != nil || baud != nil {
            throw ValidationError("--receiver is for a port that sextantd has open: use it without --device and --baud")
        }
    }

    func run() throws {
        if let receiver { return try record(receiver) }
        let device =
            try device.map { DeviceEnumerator.describe($0) } ?? DefaultPort.only(of: DeviceEnumerator.present())
        let path = output ?? RecordHeader.fileName(device: device.name, at: HostClock.utc)
        let file = DeviceFile(path: device.path)
        guard !file.exists || file.isSerialPort else { throw CommandError(port: .notATerminal(path: device.path)) }
        // A pseudo-terminal cannot be claimed; another program that has it open would lose bytes to
        // this one.
        let holders = PortHolder.holders(of: device.path)
        guard holders.isEmpty else { throw CommandError(path: device.path, heldBy: holders) }
        let reader: PortReader
        do throws(SerialError) {
            reader = try PortReader(device, baudRate: baud, at: HostClock.now)
        } catch {
            throw CommandError(port: error)
        }
        var session = RecordSession(reader: reader, writer: try CaptureWriter(path, replaces: force))
        let loss = try session.run(for: duration?.span)
        let summary = try session.finish(title: name ?? CaptureFile.receiverName(of: path), isExact: exact)
        try printSummary(summary)
        if let loss { throw CommandError("\(device.path): \(loss); the data received before is kept in \(path)") }
    }

    private func record(_ receiver: String) throws {
        let port = receiver.split(separator: "/").last.map(String.init) ?? receiver
        let path = output ?? RecordHeader.fileName(device: port, at: HostClock.utc)
        var recording = try ServiceRecording(receiver, of: daemon, to: try CaptureWriter(path, replaces: force))
        let loss = try recording.run(for: duration?.span)
        let summary = try recording.finish(
            title: name ?? CaptureFile.receiverName(of: path), isExact: exact, after: loss)
        try printSummary(summary)
        if let loss { throw CommandError("\(loss); the sentences received before are kept in \(path)") }
        if recording.dropped > 0 {
            StandardError.line(
                "sextant: \(recording.dropped) replies with sentences were lost because this machine was too busy")
        }
    }

    private func printSummary(_ summary: RecordSummary) throws {
        if format.isJSON { return try JSONLineWriter.print([summary]) }
        StandardError.line(summary.displayText)
    }
}

/// The summary of a recording, as `--json` prints it.
struct RecordSummary: Encodable, Equatable {
    var file: String
    var bytes: Int
    var sentences: Int
    var fixes: Int
    /// The length of the recording in seconds.
    var seconds: Double
    var baud: Int?
}

extension RecordSummary {
    /// The summary as one line.
    var displayText: String {
        let counted =
            "\(DecimalText.count(sentences, "sentence")), \(DecimalText.count(fixes, "fix", "fixes"))"
        return "\(file): \(RecordProgress.size(bytes)), \(counted) in \(TimeText.span(seconds))"
    }
}

/// Selects the port if none is named.
enum DefaultPort {
    /// Returns the only connected receiver.
    ///
    /// - Throws: An error if there is none, or more than one.
    static func only(of devices: [DeviceDescription]) throws(CommandError) -> DeviceDescription {
        let receivers = devices.filter { $0.kind.opensAutomatically }
        if let first = receivers.first, receivers.count == 1 { return first }
        guard !receivers.isEmpty else {
            throw CommandError(
                "no receiver is connected; connect one, or name a port with --device; list the ports: ls /dev/tty*; "
                    + "to record a receiver of the running daemon, name it with --receiver",
                exitStatus: .noResult)
        }
        throw CommandError(
            "there are \(receivers.count) receivers; name one:",
            choices: receivers.map { "--device \($0.path)" + ($0.model.map { "   (\($0))" } ?? "") }, exitStatus: .usage
        )
    }
}
