import Varlink

/// The errors of `io.sextant.Monitor`.
package enum MonitorError: Error, Equatable, Sendable {
    /// The program has no monitor with this name.
    case noSuchMonitor(name: String)
    /// The given process has the monitor open.
    case monitorInUse(name: String, process: Int)
    /// The monitor has no condition with this identifier.
    case noSuchCondition(identifier: String)
    /// A condition is invalid. The daemon has added none of the call's conditions.
    case invalidCondition(identifier: String, reason: String)
    /// The name is not a valid monitor name.
    case invalidName(name: String, reason: String)
    /// A program, a user or all users would have more conditions than the daemon stores.
    case tooManyConditions(ExceededLimit)
    /// A program or a user would have more monitors than allowed.
    case tooManyMonitors(ExceededLimit)
    /// The conditions of a user would occupy more bytes than allowed.
    case tooMuchData(ExceededLimit)
    /// The parameter "program" does not name a known program of the user.
    case invalidProgram(program: String, reason: String)
    /// The daemon could not save the change, so it has not made it.
    case persistenceUnavailable(reason: String)

    private static let prefix = Interface.monitor.name(of: "")

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        switch self {
        case .noSuchMonitor(let name): Self.make("NoSuchMonitor", parameters: ["name": .string(name)])
        case .monitorInUse(let name, let process):
            Self.make("MonitorInUse", parameters: ["name": .string(name), "process": .int(Int64(process))])
        case .noSuchCondition(let identifier):
            Self.make("NoSuchCondition", parameters: ["identifier": .string(identifier)])
        case .invalidCondition(let identifier, let reason):
            Self.make("InvalidCondition", parameters: ["identifier": .string(identifier), "reason": .string(reason)])
        case .invalidName(let name, let reason):
            Self.make("InvalidName", parameters: ["name": .string(name), "reason": .string(reason)])
        case .tooManyConditions(let limit): Self.make("TooManyConditions", parameters: limit.parameters)
        case .tooManyMonitors(let limit): Self.make("TooManyMonitors", parameters: limit.parameters)
        case .tooMuchData(let limit): Self.make("TooMuchData", parameters: limit.parameters)
        case .invalidProgram(let program, let reason):
            Self.make("InvalidProgram", parameters: ["program": .string(program), "reason": .string(reason)])
        case .persistenceUnavailable(let reason):
            Self.make("PersistenceUnavailable", parameters: ["reason": .string(reason)])
        }
    }

    /// Creates the error from a received one, or nil for any other error. A missing parameter
    /// becomes an empty string or 0.
    package init?(_ error: VarlinkError) {
        func text(_ name: String) -> String { error.parameters[name]?.string ?? "" }
        func number(_ name: String) -> Int { Int(error.parameters[name]?.int ?? 0) }
        guard error.name.hasPrefix(Self.prefix) else { return nil }
        switch error.name.dropFirst(Self.prefix.count) {
        case "NoSuchMonitor": self = .noSuchMonitor(name: text("name"))
        case "MonitorInUse": self = .monitorInUse(name: text("name"), process: number("process"))
        case "NoSuchCondition": self = .noSuchCondition(identifier: text("identifier"))
        case "InvalidCondition": self = .invalidCondition(identifier: text("identifier"), reason: text("reason"))
        case "InvalidName": self = .invalidName(name: text("name"), reason: text("reason"))
        case "TooManyConditions": self = .tooManyConditions(ExceededLimit(error))
        case "TooManyMonitors": self = .tooManyMonitors(ExceededLimit(error))
        case "TooMuchData": self = .tooMuchData(ExceededLimit(error))
        case "InvalidProgram": self = .invalidProgram(program: text("program"), reason: text("reason"))
        case "PersistenceUnavailable": self = .persistenceUnavailable(reason: text("reason"))
        default: return nil
        }
    }

    private static func make(_ name: String, parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: prefix + name, parameters: parameters)
    }
}

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

    /// Creates the description from a received error. A missing parameter becomes 0, the program or
    /// an empty string.
    fileprivate init(_ error: VarlinkError) {
        limit = Int(error.parameters["limit"]?.int ?? 0)
        scope = error.parameters["scope"]?.string.flatMap(LimitScope.init(rawValue:)) ?? .program
        reason = error.parameters["reason"]?.string ?? ""
    }

    fileprivate var parameters: [String: JSONValue] {
        ["limit": .int(Int64(limit)), "scope": .string(scope.rawValue), "reason": .string(reason)]
    }
}

/// The naming rule for monitors. It makes names safe in journals, unit names and environment
/// variables.
package enum MonitorName {
    /// Checks that `name` has 1 to 128 bytes: letters, digits, "-", "_" and ".", starting with a
    /// letter or digit.
    ///
    /// - Throws: ``MonitorError/invalidName(name:reason:)`` for any other name.
    package static func check(_ name: String) throws(MonitorError) {
        let isValid =
            (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
            && name.utf8.first.map(isLetterOrDigit) ?? false
        guard isValid else {
            let reason = "must be 1 to 128 letters, digits, \"-\", \"_\" and \".\", and start with a letter or digit"
            throw .invalidName(name: name, reason: reason)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
