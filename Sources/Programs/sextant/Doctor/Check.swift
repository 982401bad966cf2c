import SextantAPI

/// One check of `sextant doctor` and its result.
struct Check: Encodable, Equatable {
    /// What a check examines.
    enum Subject: String, Encodable {
        case socket, configuration, state, device, permission, holder, baud, sentences, authorization, antenna, fix,
            accuracy
        // Checks of a program; the others are those of a receiver.
        case program, enabled, use
        // Checks of the bridges.
        case gpsd, geoclue, chrony
        // Checks of a fence.
        case fence, watched, store, position, size, distance, pending, promise, listener
        // Checks of the motion sources.
        case motion, source
        // The fixed place of the configuration.
        case station

        /// The checks from the socket to the position, in processing order.
        static let receiverChecks: [Subject] = [
            .socket, .configuration, .state, .device, .permission, .holder, .baud, .sentences, .authorization,
            .antenna, .fix, .accuracy,
        ]
    }

    /// The result of a check.
    enum State: String, Encodable {
        case ok
        case wrong
        /// Not checked, because an earlier check failed or because the data is missing.
        case skipped
    }

    var check: Subject
    var state: State
    /// The finding as text.
    var finding: String
    /// How to fix the problem.
    var remedy: String?
    /// The command that fixes the problem or shows more details.
    var command: String?

    static func ok(_ check: Subject, finding: String) -> Check {
        Check(check: check, state: .ok, finding: finding)
    }

    static func wrong(_ check: Subject, finding: String, remedy: String, command: String? = nil) -> Check {
        Check(check: check, state: .wrong, finding: finding, remedy: remedy, command: command)
    }

    static func skipped(_ check: Subject, reason: String) -> Check {
        Check(check: check, state: .skipped, finding: reason)
    }
}

extension [Check] {
    /// Whether no check found a problem.
    var isHealthy: Bool { !contains { $0.state == .wrong } }
}

extension Check {
    /// Creates the check of a receiver whose data has no position; nil if no reason is known.
    init?(withoutPosition receiver: Receiver) {
        guard let detail = receiver.detail else { return nil }
        self.init(.fix, explainedBy: detail, command: "sextant tail")
    }

    /// Creates a problem from a text of the daemon whose last part says what to do; nil if it has
    /// no such part.
    init?(_ check: Subject, explainedBy detail: String, command: String) {
        guard let separator = detail.indices.last(where: { detail[$0...].hasPrefix(": ") }) else { return nil }
        self = .wrong(
            check, finding: String(detail[..<separator]), remedy: String(detail[separator...].dropFirst(2)),
            command: command)
    }
}
