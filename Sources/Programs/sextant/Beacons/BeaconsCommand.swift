import ArgumentParser
import Chronology
import Geofencing
import Glibc
import Locator
import SextantAPI

/// `sextant beacons`: the Bluetooth beacons in range, and sending as one.
struct BeaconsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacons",
        abstract: "Show the Bluetooth beacons in range, or send as one.",
        subcommands: [BeaconListCommand.self, BeaconAdvertiseCommand.self], defaultSubcommand: BeaconListCommand.self)
}

/// `sextant beacons list`: shows the beacons in range.
struct BeaconListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the Bluetooth beacons in range until q or Ctrl-C, nearest first.",
        discussion: """
            The formats are iBeacon, AltBeacon and Eddystone (UID frames). The beacon is within the distance with a \
            probability of 68 %. Walls and bodies change the signal, so that it can be twice or half as far away.
            """)

    @Argument(help: ArgumentHelp("Show only these beacons.", valueName: "uuid[/major[/minor]]"))
    var beacon: BeaconArgument?

    @Option(help: ArgumentHelp("End after this time.", valueName: "time"))
    var duration: TimeArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let feed = try DaemonFeed(
            daemon, subscribingTo: .init(beacons: RangeParameters(beacon: beacon?.message)))
        let session = LiveSession(duration: duration?.span)
        let capabilities = TerminalCapabilities.ofStandardOutput
        guard capabilities.hasStyles, !output.isJSON else {
            return try session.run(
                feed,
                on: PlainOutput { event throws(CommandError) in
                    guard case .beacons(let reply) = event else { return }
                    if let denial = reply.permissionDenied { throw CommandError(denial, exitStatus: .notPermitted) }
                    if output.isJSON { return try JSONLineWriter.print([reply]) }
                    try StandardOutput.write(lines: BeaconTableView.lines(of: reply, columns: nil) + [""])
                })
        }
        try session.run(feed, on: try ScreenOutput(BeaconTableView(), capabilities: capabilities))
    }
}

/// `sextant beacons advertise`: sends as a beacon.
struct BeaconAdvertiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Send as an iBeacon until Ctrl-C, through BlueZ.",
        discussion: "This runs sextant-beacons(8). The numbers are 0 if they are left out.")

    @Argument(help: ArgumentHelp("The beacon.", valueName: "uuid[/major[/minor]]"))
    var beacon: BeaconArgument

    @Option(help: ArgumentHelp("Strength of the signal at 1 m, as measured (default: -59).", valueName: "dBm"))
    var power: Int?

    func run() throws {
        var arguments = ["sextant-beacons", "advertise", beacon.identity.description]
        if let power { arguments += ["--power", "\(power)"] }
        var pointers = arguments.map { strdup($0) } + [nil]
        execvp(arguments[0], &pointers)
        throw CommandError("cannot run sextant-beacons: \(String(cString: strerror(errno)))")
    }
}

/// A beacon on the command line.
struct BeaconArgument: ExpressibleByArgument {
    let identity: BeaconIdentity

    init?(argument: String) {
        guard let identity = BeaconIdentity(argument) else { return nil }
        self.identity = identity
    }

    var message: BeaconMessage { BeaconMessage(identity) }
}

enum BeaconText {
    static func identity(_ beacon: BeaconMessage) -> String {
        ([beacon.uuid] + [beacon.major, beacon.minor].compactMap { $0.map(String.init) }).joined(separator: "/")
    }
}

/// The beacons in range as a table.
struct BeaconTableView: LiveView {
    private var reply: BeaconsInRange?
    private var notice: String?

    mutating func update(with event: DaemonFeed.Event, at now: Instant) {
        switch event {
        case .beacons(let new): (reply, notice) = (new, nil)
        case .disconnected(let error, _), .hung(let error): notice = error.description
        default: notice = nil
        }
    }

    func draw(_ size: TerminalSize, at now: Instant) -> Canvas {
        var canvas = Canvas(width: size.columns, height: size.rows)
        let lines =
            [notice].compactMap { $0 }.wrapped(to: size.columns)
            + (reply.map { Self.lines(of: $0, columns: size.columns) } ?? [])
        for (row, line) in lines.enumerated() { canvas.put(line, column: 0, row: row) }
        return canvas
    }

    static func lines(of reply: BeaconsInRange, columns: Int?) -> [String] {
        if let reason = reply.permissionDenied ?? reply.problem { return [reason].wrapped(to: columns) }
        guard !reply.beacons.isEmpty else { return ["no beacon in range"] }
        var table = TextTable(["ZONE", "WITHIN", "SIGNAL", "BEACON"], rightAligned: [1, 2])
        for one in reply.beacons {
            let identity = BeaconText.identity(one.beacon)
            // On a narrow terminal the numbers, which tell beacons apart, are below the UUID.
            let numbers = identity.dropFirst(one.beacon.uuid.count)
            let isSplit = !numbers.isEmpty && columns.map { $0 < identity.count + 2 } ?? false
            table.add(
                [
                    one.zone.rawValue, one.accuracy.map { DecimalText.text($0, decimals: 1) + " m" } ?? "-",
                    one.rssi.map { DecimalText.text($0, decimals: 0) + " dBm" } ?? "-",
                    isSplit ? one.beacon.uuid : identity,
                ], notes: isSplit ? [String(numbers)] : [], noteStyle: .plain)
        }
        return table.lines(columns: columns)
    }
}
