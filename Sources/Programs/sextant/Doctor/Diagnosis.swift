import SextantAPI

/// The interpretation of the observations: the checks in order, up to the first problem.
///
/// A receiver that sleeps because no request needs it has no problem. Nor has one that was started
/// a moment ago: checks that need more data are then skipped.
struct Diagnosis {
    let observations: Observations
    /// What the receiver does, if the daemon reports it.
    let phase: ReceiverPhase
    private(set) var checks: [Check] = []

    /// Evaluates the observations. A failed socket check does not end the sequence: a receiver can
    /// be checked without the daemon. Nor does the configuration while the daemon runs with an
    /// earlier one.
    init(_ observations: Observations) {
        self.observations = observations
        phase = observations.port.map { ReceiverPhase(of: $0, in: observations) } ?? .running
        checks = [observations.socketCheck, observations.configurationCheck, observations.stateCheck]
        let firstBlocking = observations.isDaemonRunning ? checks.count : 1
        for subject in Check.Subject.receiverChecks.dropFirst(checks.count) {
            let isBlocked = checks.dropFirst(firstBlocking).contains { $0.state == .wrong }
            checks.append(isBlocked ? .skipped(subject, reason: "not checked") : check(subject))
        }
        if let check = StationText.check(observations.station) { checks.append(check) }
    }

    private func check(_ subject: Check.Subject) -> Check {
        if observations.isDaemonHung {
            return .skipped(subject, reason: subject == .device ? "the daemon may use it" : "not checked")
        }
        guard let port = observations.port else {
            return subject == .device ? observations.missingDevice : .skipped(subject, reason: "not checked")
        }
        if observations.permission?.isReduced == true, [.antenna, .fix, .accuracy].contains(subject) {
            return .skipped(subject, reason: "not shown to a program with a reduced location")
        }
        switch subject {
        case .socket: return observations.socketCheck
        case .configuration: return observations.configurationCheck
        case .device: return device(port)
        case .permission: return permission(port)
        case .holder: return holder(port)
        case .baud: return baud(port)
        case .accuracy: return accuracy(port)
        case .authorization: return observations.authorizationCheck
        case .sentences, .antenna, .fix:
            guard let receiver = port.receiver else { return .skipped(subject, reason: "the port was not read") }
            return subject == .sentences
                ? sentences(of: receiver, on: port)
                : subject == .antenna ? antenna(of: receiver, on: port) : fix(of: receiver, on: port)
        default: return .skipped(subject, reason: "not a check of a receiver")
        }
    }
}
