import ArgumentParser
import Chronology
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge time`
struct TimeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "Give the time of the receiver to chrony or ntpd.",
        discussion: """
            chrony needs a reference clock of the type SOCK with the same path. The time is that of the epoch, \
            compared with the arrival of the first byte of its sentences: configure the delay of the receiver as \
            offset of the reference clock.
            """)

    @Flag(help: "Use the options in the section [time] of sextant.toml, besides those given here.")
    var configured = false

    @Option(
        help: ArgumentHelp(
            "Send measurements to this socket of chrony (default: /run/chrony.sextant.sock).", valueName: "path"),
        completion: .file())
    var chrony: String?

    @Option(
        help: ArgumentHelp(
            "Write measurements to this unit of ntpd's shared memory; 0 and 1 are root's.", valueName: "unit"))
    var shm: Int?

    @Option(help: ArgumentHelp("Measure once in this many seconds (default: 64).", valueName: "seconds"))
    var interval: Double?

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var options: BridgeOptions

    private static let standardPath = "/run/chrony.sextant.sock"
    private static let standardInterval = 64.0

    func validate() throws {
        if let interval, !(1...1024).contains(interval) {
            throw ValidationError("--interval must be between 1 and 1024 seconds.")
        }
        if let shm, !(0...255).contains(shm) { throw ValidationError("--shm must be 0 to 255.") }
    }

    func run() throws {
        let section = configured ? try configuration.load().time : nil
        let unit = shm ?? section?.shm
        let path = chrony ?? section?.chrony ?? (unit == nil ? TimeCommand.standardPath : nil)
        let interval = interval ?? section?.interval ?? TimeCommand.standardInterval
        try options.run { loop, log in
            try TimeBridge(
                socket: options.daemon, chrony: path, memoryUnit: unit, interval: .seconds(interval), loop: loop,
                log: log)
        }
    }
}
