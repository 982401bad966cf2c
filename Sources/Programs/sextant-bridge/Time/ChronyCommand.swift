import Chronology
import ServiceRuntime
import Settings
import SystemCalls

/// `sextant-bridge time`
struct ChronyCommand: ProgramRole {
    private var isConfigured = false
    private var chrony: String?
    private var shm: Int?
    private var interval: Double?
    private var options = BridgeOptions()

    mutating func set(_ option: String, to value: String) throws(UsageError) {
        switch option {
        case "configured": isConfigured = true
        case "chrony": chrony = try OptionValue.path(value, of: option)
        case "shm": shm = try OptionValue.integer(value, 0...255, of: option)
        case "interval": interval = try OptionValue.number(value, 1...1024, "seconds", of: option)
        default: try options.set(option, to: value)
        }
    }

    static let table = OptionTable(
        program: SextantBridge.name, role: "time",
        usage: "[--configured] [--chrony PATH] [--shm UNIT] [--interval SECONDS] [--config FILE] [--socket PATH]",
        abstract: "Give the time of the receiver to chrony or ntpd.",
        discussion: """
            chrony needs a reference clock of the type SOCK with the same path. The time is that of the epoch, \
            compared with the arrival of the first byte of its sentences: configure the delay of the receiver as \
            offset of the reference clock.
            """,
        entries: [
            .init("configured", "Use the options in the section [time] of sextant.toml, besides those given here."),
            .init("chrony", "PATH", .files, "Send measurements to this socket of chrony (default: \(standardPath))."),
            .init("shm", "UNIT", "Write measurements to this unit of ntpd's shared memory; 0 and 1 are root's."),
            .init("interval", "SECONDS", "Measure once in this many seconds (default: 64)."),
            BridgeOptions.configEntry,
        ] + BridgeOptions.entries)

    private static let standardPath = "/run/chrony.sextant.sock"
    private static let standardInterval = 64.0

    func run() throws -> CInt {
        let section = isConfigured ? try options.load().time : nil
        let unit = shm ?? section?.shm
        let path = chrony ?? section?.chrony ?? (unit == nil ? ChronyCommand.standardPath : nil)
        let interval = interval ?? section?.interval ?? ChronyCommand.standardInterval
        return try options.run { loop, log in
            try TimeBridge(
                socket: options.daemon, chrony: path, memoryUnit: unit, interval: .seconds(interval), loop: loop,
                log: log)
        }
    }
}
