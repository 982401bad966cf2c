import ArgumentParser
import SextantAPI

/// `sextant station`: the fixed place of the device.
struct StationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "station",
        abstract: "Show the fixed place of the device, or measure it.",
        subcommands: [StationShowCommand.self, StationAverageCommand.self], defaultSubcommand: StationShowCommand.self)
}

/// `sextant station show`: shows the configured place and what a receiver says about it.
struct StationShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the fixed place of the configuration, and what a receiver says about it.",
        discussion: """
            A receiver measures the place for three minutes, again and again while it runs, and every six hours when \
            nothing else needs it. If all measurements of an hour are elsewhere, the place has moved. The location \
            stays that of the configuration. Exit with status 2 if there is no place, or if it has moved.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let status = try daemon.call(ManagerMethods.getStatus).status
        guard let station = status.station else {
            throw CommandError(
                "there is no fixed place, or this program may not know it; measure one with: sextant station average",
                exitStatus: .noResult)
        }
        if output.isJSON {
            try JSONLineWriter.print([station])
        } else {
            try StandardOutput.write(lines: StationText.lines(station))
        }
        if station.verdict == .moved { throw ExitCode(ExitStatus.noResult.rawValue) }
    }
}

/// A fixed place as text.
enum StationText {
    static func lines(_ station: StationReport) -> [String] {
        let altitude = station.altitude.map { ", altitude \(DecimalText.text($0, decimals: 1)) m" } ?? ""
        return [
            "place     \(station.name): \(position(station.latitude, station.longitude)) "
                + "±\(LengthText.metres(station.horizontalAccuracy))\(altitude)",
            "receiver  \(measurement(station) ?? "has not measured it yet, which takes three minutes with a fix")",
            "verdict   \(verdict(station))",
        ]
    }

    static func position(_ latitude: Double, _ longitude: Double) -> String {
        "\(DecimalText.text(latitude, decimals: 7)), \(DecimalText.text(longitude, decimals: 7))"
    }

    /// What the last measurement found; nil without any.
    static func measurement(_ station: StationReport) -> String? {
        guard let receiver = station.receiver, let distance = station.distance, let bearing = station.bearing,
            let accuracy = station.measuredAccuracy
        else { return nil }
        let direction = "\(DecimalText.text(bearing, decimals: 0))°"
        let time = station.measured.map { ", \(TimeText.moment($0))" } ?? ""
        return "\(receiver): \(LengthText.metres(distance)) away in direction \(direction), "
            + "±\(LengthText.metres(accuracy))\(time)"
    }

    static func verdict(_ station: StationReport) -> String {
        switch station.verdict {
        case .agrees: "the receiver agrees"
        case .moved: "moved: the place in the configuration is wrong, or the receiver is elsewhere"
        case .unchecked, .unknown: "not checked by a receiver"
        }
    }

    /// The check of `sextant doctor`; nil without a fixed place.
    static func check(_ station: StationReport?) -> Check? {
        guard let station else { return nil }
        guard station.verdict == .moved else {
            return .ok(.station, finding: "the location is the fixed place \(station.name); \(verdict(station))")
        }
        return .wrong(
            .station, finding: "the fixed place has moved: \(measurement(station) ?? "a receiver is elsewhere")",
            remedy: "measure the place again, and correct [station] in the configuration; clients still get it",
            command: "sextant station average")
    }
}
