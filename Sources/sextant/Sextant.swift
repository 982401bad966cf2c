import ArgumentParser
import Glibc
import Wire

/// The command line of the location service.
@main
struct Sextant: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sextant",
        abstract: "Where this device is, which receivers tell, and what they hear.",
        discussion: """
            A tour:
              export SEXTANT_SOCKET=/tmp/io.sextant    where the daemon listens; not as a service
              sextant simulate --link /tmp/gps &       be a receiver, if none is at hand
              sextantd --device /tmp/gps --state /tmp/sextant &   serve it; unasked it finds others
              sextant watch                            see the position, live; q quits
              sextant sky                              see the satellites
              sextant locate --json                    the position once, for a script
              sextant fence add home --here 150        watch a place, with nobody connected
              sextant record -o drive.nmea             keep what the receiver sends
              sextant replay drive.nmea                the daemon's core over a capture
              sextant rehearse --route day.gpx --stream default    what a day would cost
              sextant power                            what was spent, and for whom
              sextant who                              who keeps a receiver on now
              sextant doctor                           the first thing wrong, and its mend

            Exit status:
            \(ExitStatus.allCases.map { "  \(Columns.fit(String($0.rawValue), to: 4))\($0.meaning)" }.joined(separator: "\n"))
            """,
        version: SextantVersion.current,
        groupedSubcommands: [
            CommandGroup(name: "Position", subcommands: [WatchCommand.self, LocateCommand.self]),
            CommandGroup(name: "Place", subcommands: [FenceCommand.self]),
            CommandGroup(
                name: "Receiver and daemon",
                subcommands: [ReceiversCommand.self, SkyCommand.self, StatusCommand.self, DoctorCommand.self]),
            CommandGroup(name: "Capture", subcommands: [RecordCommand.self, ReplayCommand.self, SimulateCommand.self]),
            CommandGroup(name: "Power", subcommands: [PowerCommand.self, WhoCommand.self, RehearseCommand.self]),
        ])

    /// Runs the command that was asked for. Its own errors end with their exit status; those of the command line with 64.
    static func main() {
        StandardDescriptors.holdClosed()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as CommandError {
            error.report()
            Glibc.exit(error.exitStatus.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
