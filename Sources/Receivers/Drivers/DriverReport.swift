import Chronology

/// What a driver has achieved, for people and for the reckoning of energy.
public struct DriverReport: Sendable, Equatable {
    /// What the receiver is about, by the driver's doing.
    public enum Activity: String, Sendable, CaseIterable {
        /// Not open, or nothing has been shown yet.
        case unknown
        /// Finding out what it is, or telling it something.
        case talking
        /// As the plan wants it.
        case working
        /// As the plan wants it, saving between fixes.
        case savingPower
        /// At rest.
        case resting
        /// Working for nobody: its port is closed.
        case unheard
    }

    /// What it is about.
    public var activity: Activity
    /// What it is; nil until that is known.
    public var chip: ReceiverChip?
    /// How it rests; nil while it does not.
    public var restsBy: String?
    /// What it draws while it rests or saves; nil while that depends on its fix.
    public var state: PowerState?
    /// Time between its fixes, as set and seen.
    public var period: Instant.Span?
    /// It hears nothing that is written to it.
    public var isDeaf: Bool
}

extension ReceiverDriver {
    /// What has been achieved.
    public var report: DriverReport {
        var report = DriverReport(activity: .talking, chip: chip, isDeaf: shortcomings.isDeaf)
        report.period = present.period.map { .milliseconds(Int64($0)) }
        switch phase {
        case .absent, .unproven, .finished: report.activity = .unknown
        case .watching, .working:
            report.activity = present.isThrifty ? .savingPower : .working
            report.state = present.isThrifty ? .powerSave : nil
        case .asleep(let method, _):
            (report.activity, report.restsBy, report.state) = (.resting, method.name.rawValue, method.state)
        case .closed, .opening: report.activity = .unheard
        default: break
        }
        return report
    }
}
