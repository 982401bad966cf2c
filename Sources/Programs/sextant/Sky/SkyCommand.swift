import ArgumentParser
import SextantAPI
import Varlink

/// `sextant sky`: shows the satellites in view of a receiver.
struct SkyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sky",
        abstract: "Show the satellites: their positions in the sky and signal strengths.",
        discussion: """
            North is up and east is right, as on a map; the rings are the horizon, 30 and 60 degrees elevation. G is \
            GPS, R GLONASS, E Galileo, C BeiDou, J QZSS, I NavIC, S SBAS. A filled dot marks a satellite used in the \
            fix.
            """)

    @Option(
        help: ArgumentHelp("Show this receiver, by name or port (default: the first with a fix).", valueName: "name"))
    var receiver: String?

    @Flag(name: .customLong("watch"), help: "Update continuously until q or Ctrl-C.")
    var isLive = false

    @Option(help: ArgumentHelp("End --watch after this time.", valueName: "time"))
    var duration: TimeArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        if isLive { try follow() } else { try once() }
    }

    private func once() throws {
        let receivers = try daemon.call(ReceiverMethods.list).receivers
        guard let chosen = SkyDrawing.selectReceiver(receiver, from: receivers) else {
            throw receiver.map { CommandError(noReceiver: $0, known: receivers.map(\.name)) }
                ?? CommandError(
                    "sextantd has no receiver; connect one, or find the cause with: sextant doctor",
                    exitStatus: .noResult)
        }
        if chosen.satellites.isEmpty { try requirePermission() }
        if output.isJSON { return try JSONLineWriter.print(chosen.sky) }
        let capabilities = TerminalCapabilities.ofStandardOutput
        // Leave space for the shell prompt below the drawing.
        let size = capabilities.hasStyles ? TerminalSize.ofStandardOutput : .assumed
        let rows = min(max(size.rows - 2, 10), 30)
        let canvas = SkyDrawing.canvas(of: chosen, width: min(size.columns, 110), height: rows)
        try StandardOutput.write(canvas, capabilities: capabilities)
        if chosen.state == .asleep {
            StandardError.line(
                "sextant: \(chosen.name) is asleep because no client needs it; wake it with: sextant sky --watch")
        }
        if chosen.satellites.isEmpty {
            throw CommandError("\(chosen.name) has reported no satellite", exitStatus: .noResult)
        }
    }

    /// Throws the reason if there are no satellites because this program may not know the full
    /// location.
    private func requirePermission() throws(CommandError) {
        guard let permission = try? daemon.call(SessionMethods.getAuthorization).permission,
            let detail = permission.detail
        else { return }
        throw CommandError("no satellites: \(ProgramFormatter.sentence(detail))", exitStatus: .notPermitted)
    }

    private func follow() throws {
        // The daemon puts a receiver without clients to sleep, and it then tracks no satellites.
        // The stream keeps it on.
        let parameters = SubscribeParameters(configuration: .default, receiver: receiver, pausesWhenStationary: false)
        let feed = try DaemonFeed(
            daemon, subscribingTo: .init(updates: parameters, receivers: WatchParameters(receiver: receiver)))
        let session = LiveSession(duration: duration?.span)
        let capabilities = TerminalCapabilities.ofStandardOutput
        guard capabilities.hasStyles, !output.isJSON else { return try session.run(feed, on: lines()) }
        try session.run(feed, on: try ScreenOutput(SkyDrawing(receiver: receiver), capabilities: capabilities))
    }

    private func lines() -> PlainOutput {
        PlainOutput { event throws(CommandError) in
            guard case .receivers(let receivers) = event,
                let chosen = SkyDrawing.selectReceiver(receiver, from: receivers)
            else { return }
            if output.isJSON {
                try JSONLineWriter.print(chosen.sky)
            } else {
                let satellites = Satellite.ranked(Satellite.merge(chosen.satellites))
                let labels = satellites.map {
                    "\($0.label)\($0.used ? "*" : ""):\($0.carrierToNoise.map(String.init) ?? "-")"
                }
                try StandardOutput.write(lines: [
                    "\(chosen.name) " + labels.joined(separator: " ")
                ])
            }
        }
    }
}

extension Receiver {
    /// The sky as `--json` prints it: the related fields.
    var sky: [String: JSONValue] {
        let names = satellites.isEmpty ? ["lastEpoch"] : ["lastEpoch", "pdop", "hdop", "vdop"]
        var sky = members.filter { names.contains($0.key) }
        sky["receiver"] = .string(name)
        sky["satellites"] = .array(satellites.map { .object($0.members) })
        return sky
    }
}
