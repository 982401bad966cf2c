import ArgumentParser
import Glibc
import Places
import SystemCalls

/// `sextant zone`: the time zone of the place, and that of this machine.
struct ZoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Compare the time zone of the place with that of this machine.",
        discussion: """
            The zone of the place is that of the imported data, see "sextant places import". Exit with status 2 if the \
            data has none for the position.
            """)

    @Flag(
        help: """
            Set the zone of this machine when the device moves into another one, until interrupted, as \
            sextant-zone.service does.
            """)
    var follow = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    /// The two zones.
    private struct Row: Encodable {
        var place: String
        var machine: String?
    }

    func validate() throws {
        if follow, output.isJSON { throw ValidationError("--follow prints no zones: omit --json") }
    }

    func run() throws {
        if follow {
            let state = ZoneCommand.stateDirectory(Environment.value)
            if let state { try Directory.make(state, mode: 0o700) }
            throw ZoneCommand.becomeBridge(
                ["zone", "--socket", daemon.socket] + (state.map { ["--state", $0] } ?? []))
        }
        let (point, _) = try daemon.devicePosition()
        let placemark = try PlacesFolder.ofProcess.withFile { file in
            try Geocoder(file).placemark(at: point, language: UserLanguage.code)
        }
        guard let zone = placemark?.timeZone else {
            throw CommandError("no time zone is known for this position", exitStatus: .noResult)
        }
        let row = Row(place: zone, machine: ZoneCommand.machineZone())
        if output.isJSON { return try JSONLineWriter.print([row]) }
        let machine = row.machine ?? "not known"
        try StandardOutput.write(
            lines: [zone == row.machine ? "\(zone), also of this machine" : "\(zone); that of this machine: \(machine)"]
        )
    }

    /// Runs `sextant-bridge zone` in the place of this process. Returns why that is not possible.
    private static func becomeBridge(_ arguments: [String]) -> CommandError {
        var words = (["sextant-bridge"] + arguments).map { strdup($0) } + [nil]
        execvp("sextant-bridge", &words)
        return CommandError("running sextant-bridge: \(String(cString: strerror(errno))); install the package sextant")
    }

    /// The directory in which the user's bridge keeps the zone that it has set (XDG Base Directory
    /// Specification); nil: the unit's, or none.
    static func stateDirectory(_ variable: (String) -> String?) -> String? {
        guard variable("STATE_DIRECTORY") == nil else { return nil }
        let folder = variable("XDG_STATE_HOME") ?? variable("HOME").map { "\($0)/.local/state" }
        return folder.map { "\($0)/sextant-zone" }
    }

    /// The name behind `zoneinfo/` in the link /etc/localtime (localtime(5)); nil without one.
    private static func machineZone() -> String? {
        let words = SystemFile.target(of: "/etc/localtime")?.split(separator: "/") ?? []
        guard let index = words.lastIndex(of: "zoneinfo") else { return nil }
        return words[(index + 1)...].joined(separator: "/")
    }
}
