import ArgumentParser
import Chronology
import Glibc
import SystemCalls
import Varlink

/// `sextant demo`: shows the live screen without a receiver and without an installed service.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Simulate a receiver and show its position live.",
        discussion: """
            Start a simulated receiver and a daemon of its own, and follow the position as "sextant watch" does. At \
            the end, stop both and remove their files. The service of this machine is not used and not changed. The \
            program sextantd must be beside sextant.

            With --web, show the position in a web browser instead: print the address of the page, and serve it until \
            Ctrl-C. The program sextant-web must be beside sextant too.
            """)

    @Argument(help: "A capture or a GPX track for the receiver to play (default: a built-in drive).")
    var file: String?

    @Option(help: ArgumentHelp("Exit after this time: 10, 90s, 5m.", valueName: "time"))
    var duration: TimeArgument?

    @Flag(help: "Serve the page of sextant-web instead of showing the position here.")
    var web = false

    @Option(
        help: ArgumentHelp(
            "With --web: the files of the page (default: those that are installed).", valueName: "directory"))
    var page: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if web, output.isJSON { throw ValidationError("--web prints no JSON: use either --web or --json") }
        if page != nil, !web { throw ValidationError("--page needs --web") }
    }

    func run() throws {
        if let file { try CaptureFile.checkReadable(file) }
        // The signals that end this program are blocked from here on, so that it always cleans up.
        let signals = try SignalDescriptor(SignalDescriptor.terminating)
        defer { withExtendedLifetime(signals) {} }
        // A reader that has read enough, such as head, ends it by a failed write.
        signal(SIGPIPE, SIG_IGN)
        let scene = try DemoScene(playing: file, page: page)
        defer { scene.end() }
        do {
            try play(scene, until: signals)
        } catch let error as CommandError where error == StandardOutput.readerHasEnded {}
    }

    private func play(_ scene: DemoScene, until signals: borrowing SignalDescriptor) throws {
        guard try scene.start(stop: signals.descriptor) else { return }
        if web {
            guard try scene.startWeb(stop: signals.descriptor) else { return }
            try StandardOutput.write(lines: ["http://\(DemoScene.webAddress)/    (Ctrl-C ends it)"])
            let end = duration.map { HostClock.now + .seconds($0.seconds) }
            _ = try Poller.readable([signals.descriptor], until: end)
            return
        }
        let options = (duration.map { ["--duration", "\($0.seconds)"] } ?? []) + (output.isJSON ? ["--json"] : [])
        try WatchCommand.parse(["--socket", scene.socket] + options).run()
    }
}

/// The simulated receiver and the daemon of a demonstration, in a temporary directory.
private final class DemoScene {
    /// How long each of the two programs may take to start or to end.
    private static let patience = Instant.Span.seconds(10)
    private static let pollInterval = Instant.Span.milliseconds(50)

    private let directory: String
    private let variables: [String]
    private var processes: [HandlerProcess] = []

    init(playing file: String?, page: String?) throws(CommandError) {
        var path = Array("/tmp/sextant-demo.XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw .system("cannot create a directory in /tmp", code: errno) }
        directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let program = SystemFile.target(of: "/proc/self/exe") ?? ""
        variables = [
            "SEXTANT_DEMO=\(directory)", "SEXTANT_PROGRAM=\(program)", "SEXTANT_FILE=\(file ?? "")",
            "SEXTANT_PAGE=\(page ?? "")",
        ]
    }

    /// The socket of the daemon.
    var socket: String { "\(directory)/io.sextant" }

    /// Starts the receiver, then the daemon. Returns false if `stop` became readable before.
    func start(stop: Int32) throws(CommandError) -> Bool {
        let receiver = #"exec "$SEXTANT_PROGRAM" simulate --link "$SEXTANT_DEMO/receiver""#
        let source = #"${SEXTANT_FILE:+--loop "$SEXTANT_FILE"}"#
        let daemon = """
            printf '[receivers]\\ndiscover = false\\n[web]\\nedit = true\\n' > "$SEXTANT_DEMO/sextant.toml"
            exec "${SEXTANT_PROGRAM}d" --config "$SEXTANT_DEMO/sextant.toml" --device "$SEXTANT_DEMO/receiver" \
            --socket "$SEXTANT_DEMO/io.sextant" --state "$SEXTANT_DEMO/state"
            """
        guard try start("\(receiver) \(source)", named: "simulate", until: "\(directory)/receiver", stop: stop) else {
            return false
        }
        return try start(daemon, named: "sextantd", until: socket, stop: stop)
    }

    static let webAddress = "127.0.0.1:\(WebCommand.port)"

    /// Starts the server of the page. Returns false if `stop` became readable before.
    func startWeb(stop: Int32) throws(CommandError) -> Bool {
        let command = """
            exec "${SEXTANT_PROGRAM}-web" --config "$SEXTANT_DEMO/sextant.toml" --socket "$SEXTANT_DEMO/io.sextant" \
            --listen "$SEXTANT_DEMO/web" --listen \(DemoScene.webAddress) ${SEXTANT_PAGE:+--page "$SEXTANT_PAGE"}
            """
        guard try start(command, named: "sextant-web", until: "\(directory)/web", stop: stop) else { return false }
        // Such as that the files of the page are missing.
        if let warning = lastLine(ofLog: "sextant-web") { StandardError.line(warning) }
        return true
    }

    private func lastLine(ofLog name: String) -> String? {
        let text = (try? CaptureFile.read("\(directory)/\(name).log")) ?? []
        return text.split(separator: 10).last.map { String(decoding: $0, as: UTF8.self) }
    }

    private func start(
        _ command: String, named name: String, until path: String, stop: Int32
    ) throws(CommandError) -> Bool {
        let process = try HandlerProcess(
            command: "exec > \"$SEXTANT_DEMO/\(name).log\" 2>&1 < /dev/null; \(command)", input: NoParameters(),
            variables: variables)
        processes.append(process)
        let end = HostClock.now + DemoScene.patience
        while access(path, F_OK) != 0 {
            let hasEnded = process.exitResult().hasEnded
            if hasEnded { processes.removeLast() }
            guard !hasEnded, HostClock.now < end else {
                guard let line = lastLine(ofLog: name) else { throw CommandError("\(name) did not start") }
                guard hasEnded else { throw CommandError("\(name) did not start: \(line)") }
                throw CommandError(line.hasPrefix("sextant: ") ? String(line.dropFirst(9)) : line)
            }
            let ready = try Poller.readable([stop], until: HostClock.now + DemoScene.pollInterval)
            if !ready.isEmpty { return false }
        }
        return true
    }

    /// Ends both programs and removes their files.
    func end() {
        for process in processes { process.terminate() }
        let end = HostClock.now + DemoScene.patience
        for process in processes {
            while !process.exitResult().hasEnded {
                if HostClock.now >= end { process.kill() }
                pause()
            }
        }
        let removal = try? HandlerProcess(
            command: #"rm -rf -- "$SEXTANT_DEMO""#, input: NoParameters(), variables: variables)
        while let removal, !removal.exitResult().hasEnded, HostClock.now < end { pause() }
    }

    private func pause() { _ = try? Poller.readable([], until: HostClock.now + DemoScene.pollInterval) }
}
