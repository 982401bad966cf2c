import Chronology
import Delivery

// Airoha AG333x and AG335x [LC; FS; QF; ME].
extension CommandTable {
    static let airoha = CommandTable(
        family: .airoha,
        // The processor that hears commands sleeps: PAIR382 keeps it awake, written every 40 ms until it answers [ME, FS].
        opening: [airohaLock], closing: [.sentence("PAIR382,0", answer: .pair(382), attempts: 1)],
        // PAIR050: 100 to 1000 ms.
        periods: .within(100...1000),
        setPeriod: { period, _ in [.sentence("PAIR050,\(period)", answer: .pair(50))] },
        // PAIR062, type 8: GST. An LC29H (EA) knows 0 to 5 only, and refuses [FS].
        setErrorSentence: { on, _ in [.sentence("PAIR062,8,\(on ? 1 : 0)", answer: .pair(62))] },
        // PAIR080: 0 normal, 1 fitness, 5 drone [FS].
        setDynamics: { [.sentence("PAIR080,\($0.airohaMode)", answer: .pair(80))] },
        sleeps: [.airohaTimer])

    /// The same chips in Quectel's modules, which have an engine stop that the serial line ends [LC].
    static let quectel: CommandTable = {
        var table = airoha
        table.family = .quectel
        table.sleeps = [.quectelSuspend, .airohaTimer]
        return table
    }()

    static let airohaLock = Command.sentence("PAIR382,1", answer: .pair(382), attempts: 25, patience: .milliseconds(40))
}

extension SleepMethod {
    /// PAIR650: the line does not end it, so never without a timer [FS, LC], and never for longer than somebody new may be made to wait.
    /// PAIR003 is no alternative: some call it power off, others a cold start.
    static let airohaTimer = SleepMethod(
        name: .airohaTimer, enter: { .sentence("PAIR650,\($0 ?? 60)", answer: .pair(650), attempts: 1, patience: .seconds(1)) },
        waking: .timer, timer: 10...60, losesSettings: true)

    /// PQTMGNSSSUSPEND and its counterpart [LC].
    static let quectelSuspend = SleepMethod(
        name: .quectelSuspend, enter: { _ in .sentence("PQTMGNSSSUSPEND", answer: .sentence("PQTMGNSSSUSPEND,")) }, waking: .command,
        resume: [.sentence("PQTMGNSSRESUME", answer: .sentence("PQTMGNSSRESUME,"))], state: .stopped)
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
