import Chronology
import Locator
import Receivers
import SextantAPI

extension EnergyReport {
    /// Creates a report of a period, of one receiver or of all.
    ///
    /// - Parameter day: The day of the period; `nil` for the time since the daemon started.
    init(_ period: EnergyUse, of receiver: String?, day: CivilDate?) {
        let usage = period.usage(of: receiver)
        var seconds: [PowerState: Double] = [:]
        for (state, time) in usage.secondsByState { seconds[PowerState(state), default: 0] += time }
        let whole = usage.joules
        let consumers = usage.joulesByConsumer.map {
            EnergyConsumer(consumer: $0.key, joules: $0.value, of: whole)
        }.sorted {
            let (first, second) = (($0.joules * 1000).rounded(), ($1.joules * 1000).rounded())
            return (first, $1.purpose.rawValue, $1.program ?? "") > (second, $0.purpose.rawValue, $0.program ?? "")
        }
        self.init(
            day: day.map { String(UTCTime(date: $0, millisecondsOfDay: 0).description.prefix(10)) }, joules: whole,
            seconds: seconds,
            wakeups: receiver == nil ? Int(exactly: period.wakeups.rounded()) : nil,
            consumers: consumers)
    }
}

extension PowerState {
    /// Creates the name of a power state on the wire.
    init(_ state: ReceiverPowerState) {
        switch state {
        case .off, .standby, .stopped: self = .standby
        case .acquiring: self = .search
        case .tracking: self = .operation
        case .powerSave: self = .saving
        case .closed: self = .closed
        }
    }
}

extension EnergyConsumer {
    fileprivate init(consumer: EnergyUser, joules: Double, of whole: Double) {
        switch consumer {
        case .program(let program, let purpose):
            self.init(
                Purpose(rawValue: purpose.rawValue) ?? .others, program: program.name, unit: program.unit,
                uid: Int(program.user),
                joules: joules, of: whole)
        case .nobody: self.init(.nobody, joules: joules, of: whole)
        case .others: self.init(.others, joules: joules, of: whole)
        }
    }
}

extension PowerEstimate {
    /// Names the chip whose energy figures were used for most of the time.
    init(_ receiver: String, usage: ReceiverEnergyUse) {
        let chip = usage.secondsByChip.max { $0.value < $1.value }?.key ?? .generic
        self.init(receiver: receiver, chip: chip.rawValue, source: EnergyFigures.source(of: chip))
    }
}
