import ArgumentParser
import Chronology
import Geodesy
import Glibc
import Receivers
import Simulator
import SystemCalls

/// `sextant simulate`: simulates a receiver on a pseudo-terminal or writes a capture.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate a GNSS receiver on a pseudo-terminal.",
        discussion: """
            FILE is a capture, replayed with its own timing, or a GPX file to follow: its track, its route, or its \
            waypoints with times. Without FILE the receiver drives a built-in circuit. The path of the port is \
            printed first, with --json as {"event":"plugged","port":"/dev/pts/3"}; pass it to sextantd --device. \
            A text sentence once a second announces the simulator, and sextantd marks the positions as simulated.

            Faults are KIND@START[+DURATION][:RATE]; --fault may be repeated:
              dropout@30s+20s           no satellites, as in a tunnel
              corruption@0s+60s:0.01    one byte in a hundred is damaged
              silence@10s+5s            nothing is sent
              unplug@20s+5s             the port disappears and returns

            With --binary the receiver sends a binary protocol until a command switches it to NMEA, as other \
            programs leave receivers behind. A case may follow: ubx:sentences-off.
            """)

    @Argument(help: "A capture or a GPX track.")
    var file: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Simulate a receiver that does not move.", valueName: "lat,lon[,altitude]"))
    var stationary: String?

    @Option(help: "Receiver model to simulate (default: ublox8).")
    var receiver: ReceiverKind?

    @Option(help: ArgumentHelp("Sentences in order, /N for every N-th epoch: RMC,GGA,GSV/5.", valueName: "list"))
    var sentences: String?

    @Option(help: ArgumentHelp("Fixes per second; for a capture, the multiple of the recorded speed.", valueName: "hz"))
    var rate: Double?

    @Option(help: "Baud rate of the receiver. A reader at another rate receives garbage.")
    var baud: Int?

    @Option(help: ArgumentHelp("Initial baud rate of the port (default: that of the receiver).", valueName: "baud"))
    var portBaud: Int?

    @Option(help: ArgumentHelp("Standard deviation of the position along each axis.", valueName: "deviation"))
    var noise = 1.5

    @Option(help: "Random seed; equal seeds give identical output.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Inject a fault; see above.", valueName: "fault"))
    var fault: [String] = []

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: String?

    @Flag(help: "Restart the file at its end.")
    var loop = false

    @Option(
        help: ArgumentHelp(
            "UTC at the start (default: now; with --output that of the track, or 2026-06-01).", valueName: "rfc3339"))
    var start: String?

    @Flag(help: "Start cold: without time and orbits.")
    var cold = false

    @Option(
        help: ArgumentHelp(
            "Number of missed GPS week rollovers; each shifts the date back by 1024 weeks.", valueName: "count"))
    var rollovers = 0

    @Option(help: ArgumentHelp("Speed along a GPX track without times.", valueName: "m/s"))
    var speed = 14.0

    @Option(help: "How the receiver handles commands: obey, ignore, or obey without replies (mute).")
    var commands = CommandBehavior.normal

    @Option(
        help: ArgumentHelp(
            "Send this protocol until switched to NMEA: "
                + BinaryProtocol.allCases.map(BinaryOutput.name).joined(separator: ", ") + "; cases: "
                + BinaryOutput.Case.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "protocol[:case]"))
    var binary: String?

    @Option(help: ArgumentHelp("Create a symbolic link to the port at this path.", valueName: "path"))
    var link: String?

    @Option(
        help: ArgumentHelp(
            "Write a capture in simulated time to this file instead of opening a port.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace the file of --output if it exists.")
    var force = false

    @Option(help: ArgumentHelp("Name in the header of the capture.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Note in the header of the capture.", valueName: "text"))
    var note = ""

    @Flag(
        name: .customLong("json"),
        help: "Print the port and its events as JSON on standard output, one object per line.")
    var isJSON = false

    @Flag(help: "Also print the baud rates and commands of the reader on standard error.")
    var verbose = false

    func validate() throws {
        _ = try options()
    }

    func run() throws {
        var options = try options()
        if let file { try CaptureFile.checkReadable(file) }
        do {
            if let file { options.source = try .file(at: file) }
            if let output { try writeCapture(options, to: output) } else { try simulate(options) }
        } catch let error as SystemError {
            throw CommandError(error)
        } catch let error as SimulatorOptions.Error {
            throw CommandError("\(error)", exitStatus: error.isFileError ? .noInput : .usage)
        }
    }

    private func writeCapture(_ options: SimulatorOptions, to path: String) throws {
        try CaptureWriter.check(path, replaces: force)
        let header = try SimulatedCapture.header(
            options, name: name ?? String(path.split(separator: "/").last ?? ""), note: note)
        let showsProgress = StandardError.isTerminal
        defer { if showsProgress { StandardError.overwriteLine("") } }
        try SimulatedCapture.write(options, header: header, to: path) { percent in
            if showsProgress { StandardError.overwriteLine("\(path): \(percent) %") }
        }
    }

    private func simulate(_ options: SimulatorOptions) throws {
        // A pseudo-terminal exists as long as its simulator.
        if let link, let port = SystemFile.target(of: link), port.hasPrefix("/dev/pts/"), access(port, F_OK) == 0 {
            throw CommandError(
                "\(link) is the link of another sextant simulate, whose port is \(port): end that one, or choose "
                    + "another --link; if there is none, remove the link: rm \(ShellText.quoted(link))")
        }
        let signals = try SignalDescriptor([SIGINT, SIGTERM])
        let report = SimulateReport(isJSON: isJSON, isVerbose: verbose)
        var session = try SimulatorSession(
            options, on: PortOptions(portBaud: portBaud, link: link), now: SimulatorClock.now,
            utc: SimulatorClock.utc, report: report.print)
        try session.run(stop: signals.descriptor)
        // The descriptor must stay open while the session polls it.
        withExtendedLifetime(signals) {}
    }
}

extension SimulateCommand {
    /// Returns the options of the simulator, without the file.
    func options() throws -> SimulatorOptions {
        var options = SimulatorOptions()
        options.source = try source()
        options.receiver = receiver
        options.rate = rate
        options.baud = baud
        options.noise = noise
        options.seed = seed
        options.loops = loop
        options.coldStart = cold
        options.missedRollovers = rollovers
        options.speed = speed
        options.commandBehavior = commands
        if let binary {
            guard let output = BinaryOutput(binary) else {
                throw ValidationError("--binary \"\(binary)\" is not a protocol with an optional case; see --help.")
            }
            guard file == nil else { throw ValidationError("--binary cannot be combined with a file.") }
            options.binary = output
        }
        guard noise >= 0, noise.isFinite else { throw ValidationError("--noise must be 0 or more metres.") }
        guard (0...4).contains(rollovers) else { throw ValidationError("--rollovers must be 0 to 4.") }
        do {
            options.sentences = try sentences.map { text throws(SentencePlan.ParsingError) in try SentencePlan(text) }
            options.faults = FaultSchedule(
                try fault.map { text throws(Fault.ParsingError) in try Fault(parsing: text) })
        } catch {
            throw ValidationError("\(error)")
        }
        if let duration {
            guard let span = Instant.Span(parsing: duration) else {
                throw ValidationError("--duration \"\(duration)\" is not a duration such as 10, 90s or 5m.")
            }
            options.duration = span
        }
        if let start {
            guard let time = UTCTime(rfc3339: start) else {
                throw ValidationError("--start \"\(start)\" is not a time such as 2026-06-01T12:00:00Z.")
            }
            options.startTime = time
        }
        return options
    }

    private func source() throws -> SimulatorOptions.Source {
        guard let stationary else { return .circuit }
        guard file == nil else { throw ValidationError("--stationary cannot be combined with a file.") }
        let numbers = stationary.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitude: latitude, longitude: longitude),
            let altitude = numbers.count == 3 ? numbers[2] : 0
        else {
            throw ValidationError(
                "--stationary \"\(stationary)\" is not a position such as 51.4779,-0.0015 or 51.4779,-0.0015,45.")
        }
        return .stationary(place, altitude: altitude)
    }
}

extension ReceiverKind: ExpressibleByArgument {}
extension CommandBehavior: ExpressibleByArgument {}

/// Reports the simulator's events: the port on standard output for scripts, the rest on standard
/// error. As JSON everything goes to standard output.
struct SimulateReport {
    var isJSON = false
    /// Whether to also print what the reader does: baud rates and commands. JSON always has them.
    var isVerbose = false

    /// One event in JSON.
    struct Line: Encodable, Equatable {
        /// plugged, unplugged, began, ended, baud or received.
        var event: String
        /// The port, and the link to it if there is one.
        var port: String?
        var link: String?
        /// The fault that begins or ends, and its duration in seconds.
        var fault: String?
        var duration: Double?
        /// The reader's baud rate in bits per second; absent if it is nonstandard.
        var baud: Int?
        /// What the reader wrote.
        var text: String?

        init(_ event: SimulatorSession.Event) {
            switch event {
            case .plugged(let path, let link):
                self.event = "plugged"
                port = path
                self.link = link
            case .unplugged: self.event = "unplugged"
            case .began(let fault):
                self.event = "began"
                self.fault = fault.kind.rawValue
                duration = fault.duration?.seconds
            case .ended(let fault): (self.event, self.fault) = ("ended", fault.kind.rawValue)
            case .baudRate(let baud): (self.event, self.baud) = ("baud", baud)
            case .received(let bytes): (self.event, text) = ("received", SimulateReport.printable(bytes))
            }
        }
    }

    /// Prints one event as a line, unbuffered, for scripts that wait for the path. Ignores write
    /// errors: the receiver continues if no one reads its output any more.
    func print(_ event: SimulatorSession.Event) {
        if isJSON {
            try? JSONLineWriter.print([Line(event)])
            return
        }
        switch event {
        case .baudRate where !isVerbose, .received where !isVerbose: break
        case .plugged(let path, let link):
            try? StandardOutput.write(lines: [link.map { "\(path) \($0)" } ?? path])
        case .unplugged: printNote("unplugged")
        case .began(let fault):
            printNote("\(fault.kind.rawValue) begins\(fault.duration.map { " for \($0.seconds) s" } ?? "")")
        case .ended(let fault): printNote("\(fault.kind.rawValue) ends")
        case .baudRate(let baud):
            printNote("the reader set the baud rate to \(baud.map(String.init) ?? "a nonstandard value")")
        case .received(let bytes):
            printNote(
                "the reader wrote \(RecordProgress.size(bytes.count)): "
                    + "\(SimulateReport.printable(bytes))")
        }
    }

    private func printNote(_ text: String) {
        StandardError.line("simulate: \(text)")
    }

    /// Returns ASCII characters unchanged and other bytes as hexadecimal.
    private static func printable(_ bytes: [UInt8]) -> String {
        bytes.prefix(64).map {
            (32..<127).contains($0)
                ? String(UnicodeScalar($0)) : "<\(DecimalText.padded(String($0, radix: 16), to: 2))>"
        }
        .joined()
    }
}
