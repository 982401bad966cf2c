import Chronology
import Permission
import SextantAPI

extension Consumer {
    package init(_ purpose: Purpose, uid: Int, since: UTCTime, seconds: Double) {
        self.init(
            purpose: purpose, uid: uid, significantChange: false, passive: false, since: since, seconds: seconds,
            holds: false, silent: false)
    }
}

extension DeclaredSession {
    /// Creates the message for a session.
    package init(
        _ owner: ProgramID, requirement: SessionRequirement, purpose: String? = nil, isEffective: Bool = true
    ) {
        self.init(
            owner: owner.description, requirement: requirement, purpose: purpose,
            ineffective: isEffective ? nil : true)
    }
}

extension DeclaredLease {
    /// Creates the message for a lease.
    package init(_ owner: ProgramID, since: UTCTime, isHeld: Bool = true) {
        self.init(owner: owner.description, since: since, ending: isHeld ? nil : true)
    }
}

extension Status {
    /// Creates a status with the identity of the daemon and with all counts at zero or absent.
    package init(version: String, pid: Int, uptime: Double, socket: String, summary: String) {
        self.init(
            version: version, pid: pid, uptime: uptime, socket: socket, configuration: [], connections: 0, streams: 0,
            receivers: 0, receiversWithFix: 0, summary: summary)
    }
}

extension EnergyConsumer {
    /// Creates the energy use of one purpose; `whole` is the total in joules.
    package init(
        _ purpose: Purpose, program: String? = nil, unit: String? = nil, uid: Int? = nil, joules: Double,
        of whole: Double
    ) {
        self.init(
            purpose: purpose, program: program, unit: unit, uid: uid, joules: joules,
            share: whole > 0 ? joules / whole : 0)
    }
}

extension EnergyReport {
    /// Creates an energy report from the time in each state and the energy consumers.
    package init(
        day: String? = nil, joules: Double, seconds: [PowerState: Double], wakeups: Int?,
        consumers: [EnergyConsumer]
    ) {
        let whole = seconds.values.reduce(0, +)
        self.init(
            day: day, joules: joules, milliwatts: whole > 0 ? joules / whole * 1000 : nil,
            operation: seconds[.operation] ?? 0, saving: seconds[.saving] ?? 0, search: seconds[.search] ?? 0,
            standby: seconds[.standby] ?? 0, closed: seconds[.closed] ?? 0, wakeups: wakeups, consumers: consumers)
    }
}
