import Chronology
import Locator

// Airoha AG333x and AG335x [LC; FS; QF; ME].
extension CommandTable {
    static let airoha = CommandTable(
        family: .airoha,
        // The command processor sleeps. PAIR382 keeps it awake; the driver writes it every 40 ms
        // until the receiver replies [ME, FS].
        openingWrapper: [airohaWakeCommand], closingWrapper: [.sentence("PAIR382,0", reply: .pair(382), attempts: 1)],
        // PAIR050: 100 to 1000 ms.
        periods: .within(100...1000),
        setPeriod: { period, _ in [.sentence("PAIR050,\(period)", reply: .pair(50))] },
        // PAIR062, type 8: GST. An LC29H (EA) supports only types 0 to 5 and refuses it [FS].
        setErrorEstimateOutput: { on, _ in [.sentence("PAIR062,8,\(on ? 1 : 0)", reply: .pair(62))] },
        // PAIR080: 0 normal, 1 fitness, 5 drone [FS].
        setDynamics: { [.sentence("PAIR080,\($0.airohaMode)", reply: .pair(80))] },
        // PAIR490: EASY [FS].
        predictOrbits: [.sentence("PAIR490,1", reply: .pair(490))],
        sleepMethods: [.airohaTimer])

    /// The same chips in Quectel modules, whose engine stop can be ended over the serial line [LC].
    static let quectel: CommandTable = {
        var table = airoha
        table.family = .quectel
        table.sleepMethods = [.quectelSuspend, .airohaTimer]
        return table
    }()

    /// The wrapper command that wakes the command processor and keeps it awake.
    static let airohaWakeCommand = Command.sentence(
        "PAIR382,1", reply: .pair(382), attempts: 25, timeout: .milliseconds(40))
}

extension SleepMethod {
    /// PAIR650. The serial line cannot end this sleep, so it always has a timer [FS, LC]. The timer
    /// limits how long a new client may have to wait. PAIR003 is no alternative: some documents
    /// call it power off, others a cold start.
    static let airohaTimer = SleepMethod(
        name: .airohaTimer,
        makeSleepCommand: { .sentence("PAIR650,\($0 ?? 60)", reply: .pair(650), attempts: 1, timeout: .seconds(1)) },
        wakeTrigger: .timer, timer: 10...60, losesSettings: true)

    static let quectelSuspend = SleepMethod(
        name: .quectelSuspend,
        makeSleepCommand: { _ in .sentence("PQTMGNSSSUSPEND", reply: .sentence("PQTMGNSSSUSPEND,")) },
        wakeTrigger: .command,
        resumeCommands: [.sentence("PQTMGNSSRESUME", reply: .sentence("PQTMGNSSRESUME,"))], state: .stopped)
}

extension Dynamics {
    fileprivate var airohaMode: Int {
        switch self {
        case .any, .automotive: 0
        case .pedestrian: 1
        case .airborne: 5
        }
    }
}
