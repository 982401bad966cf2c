import ArgumentParser
import Chronology
import SystemCalls
import Systemd

/// `sextant-bridge time`
struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Give the time of the receiver to chrony.",
        discussion: """
            chrony needs a reference clock of the type SOCK with the same path. The time is that of the epoch, \
            compared with the end of its sentences: configure the delay of the receiver as offset of the \
            reference clock.
            """)

    @Option(
        help: ArgumentHelp("Send measurements to this socket of chrony.", valueName: "path"), completion: .file())
    var chrony = "/run/chrony.sextant.sock"

    @Option(help: ArgumentHelp("Measure once in this many seconds.", valueName: "seconds"))
    var interval = 64.0

    @OptionGroup var options: BridgeOptions

    func validate() throws {
        guard (1...1024).contains(interval) else {
            throw ValidationError("--interval must be between 1 and 1024 seconds.")
        }
    }

    func run() throws {
        try options.run { loop, log in
            try TimeBridge(
                socket: options.daemon, chrony: chrony, interval: .seconds(interval), loop: loop, log: log)
        }
    }
}
