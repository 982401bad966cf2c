/// A limit on monitors that a call would exceed. The daemon has changed nothing.
package struct ExceededLimit: Equatable, Sendable {
    /// The maximum number.
    package var limit: Int
    /// What the limit applies to.
    package var scope: LimitScope
    /// The limit, the present number and how to get below, as text.
    package var reason: String

    /// Creates the description of a limit.
    package init(_ limit: Int, of scope: LimitScope, reason: String) {
        self.limit = limit
        self.scope = scope
        self.reason = reason
    }
}

extension MonitorError {
    /// A program, a user or all users would have more conditions than the daemon stores.
    package static func tooManyConditions(_ limit: ExceededLimit) -> MonitorError {
        .tooManyConditions(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }

    /// A program or a user would have more monitors than allowed.
    package static func tooManyMonitors(_ limit: ExceededLimit) -> MonitorError {
        .tooManyMonitors(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }

    /// The conditions of a user would occupy more bytes than allowed.
    package static func tooMuchData(_ limit: ExceededLimit) -> MonitorError {
        .tooMuchData(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }

    /// The limit that would be exceeded; nil for other errors.
    package var exceededLimit: ExceededLimit? {
        switch self {
        case .tooManyConditions(let limit, let scope, let reason), .tooManyMonitors(let limit, let scope, let reason),
            .tooMuchData(let limit, let scope, let reason):
            ExceededLimit(limit, of: scope, reason: reason)
        default: nil
        }
    }
}
