import ArgumentParser
import Delivery
import Locator
import Wire

/// `sextant sky`: what a receiver hears, and where it stands.
struct SkyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sky",
        abstract: "Draw the satellites: where they stand, and how well they are heard.",
        discussion: """
            North is up and east to the right, as on a map; the rings are the horizon, 30 and 60 degrees. G is GPS, R GLONASS, \
            E Galileo, C BeiDou, J QZSS, I NavIC, S SBAS. A full dot marks a satellite that is used.
            """)

    @Option(help: ArgumentHelp("This receiver, by its name or port (default: the first with a fix).", valueName: "name"))
    var receiver: String?

    @Flag(name: .customLong("watch"), help: "Follow it live, until q or Ctrl-C.")
    var isLive = false

    @Option(help: ArgumentHelp("End --watch by itself after this time.", valueName: "time"))
    var duration: TimeArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        if isLive { try follow() } else { try once() }
    }

    private func once() throws {
        let receivers = try daemon.call(DaemonMethod.listReceivers, as: ReceiversReply.self).receivers
        guard let chosen = SkyPicture.choose(receiver, from: receivers) else {
            throw receiver.map { CommandError(noReceiver: $0, known: receivers.map(\.name)) }
                ?? CommandError("sextantd knows of no receiver; plug one in, or find out: sextant doctor", .nothing)
        }
        if output.isJSON { return try LineOutput.print([SkyLine(chosen)]) }
        let look = Look.ofStandardOutput
        // A drawing that leaves the prompt room beneath it.
        let size = look.hasStyles ? TerminalSize.ofStandardOutput : .usual
        let rows = min(max(size.rows - 2, 10), 30)
        let canvas = SkyPicture.picture(of: chosen, width: min(size.columns, 110), height: rows)
        try StandardOutput.write(lines: canvas.lines(look))
        if chosen.state == .resting {
            StandardError.line("sextant: \(chosen.name) is let rest while nobody needs it; sextant sky --watch wakes it")
        }
        if chosen.satellites.isEmpty { throw CommandError("\(chosen.name) has told of no satellite", .nothing) }
    }

    private func follow() throws {
        // A receiver that nobody needs is let rest, and hears nothing: who looks at its sky needs it.
        let need = SubscribeParameters(configuration: .default, receiver: receiver, pausesWhenStationary: false)
        let feed = try DaemonFeed(daemon, .init(updates: need, receivers: WatchParameters(receiver: receiver)))
        let session = LiveSession(duration: duration?.span)
        let look = Look.ofStandardOutput
        guard look.hasStyles, !output.isJSON else { return try session.run(feed, on: lines()) }
        try session.run(feed, on: try ScreenSurface(SkyPicture(receiver: receiver), look))
    }

    private func lines() -> LineSurface {
        LineSurface { event throws(CommandError) in
            guard case .receivers(let receivers) = event, let chosen = SkyPicture.choose(receiver, from: receivers) else { return }
            if output.isJSON {
                try LineOutput.print([SkyLine(chosen)])
            } else {
                let objects = SkyObject.ranked(SkyObject.merge(chosen.satellites))
                let words = objects.map { "\($0.label)\($0.used ? "*" : ""):\($0.carrierToNoise.map(String.init) ?? "-")" }
                try StandardOutput.write(lines: ["\(Columns.harmless(chosen.name)) " + words.joined(separator: " ")])
            }
        }
    }
}

/// A receiver's sky as `--json` prints it: the fields of `io.sextant.Receiver` that are about it.
struct SkyLine: Encodable {
    var receiver: String
    var lastEpoch: String?
    var pdop: Double?
    var hdop: Double?
    var vdop: Double?
    var satellites: [SatelliteMessage]

    init(_ message: ReceiverMessage) {
        (receiver, lastEpoch, satellites) = (message.name, message.lastEpoch, message.satellites)
        (pdop, hdop, vdop) = (message.pdop, message.hdop, message.vdop)
    }
}
