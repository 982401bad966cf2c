public import Varlink

/// The errors of `io.sextant.Monitor`.
public enum MonitorError: Error, Equatable, Sendable {
    /// The program has no monitor of this name.
    case noSuchMonitor(name: String)
    /// Somebody has it open: this process.
    case monitorInUse(name: String, process: Int)
    /// The monitor has no condition of this identifier.
    case noSuchCondition(identifier: String)
    /// A condition makes no sense; none of the call has been added.
    case invalidCondition(identifier: String, reason: String)
    /// The name cannot be a monitor's.
    case invalidName(name: String, reason: String)
    /// More conditions than can be kept.
    case tooManyConditions(limit: Int)
    /// More monitors than a program may have.
    case tooManyMonitors(limit: Int)
    /// What was asked for could not be written down, so it has not been done.
    case persistenceUnavailable(reason: String)

    private static let prefix = "io.sextant.Monitor."

    /// The error as it travels.
    public var reply: VarlinkError {
        switch self {
        case .noSuchMonitor(let name): Self.make("NoSuchMonitor", ["name": .string(name)])
        case .monitorInUse(let name, let process): Self.make("MonitorInUse", ["name": .string(name), "process": .int(Int64(process))])
        case .noSuchCondition(let identifier): Self.make("NoSuchCondition", ["identifier": .string(identifier)])
        case .invalidCondition(let identifier, let reason):
            Self.make("InvalidCondition", ["identifier": .string(identifier), "reason": .string(reason)])
        case .invalidName(let name, let reason): Self.make("InvalidName", ["name": .string(name), "reason": .string(reason)])
        case .tooManyConditions(let limit): Self.make("TooManyConditions", ["limit": .int(Int64(limit))])
        case .tooManyMonitors(let limit): Self.make("TooManyMonitors", ["limit": .int(Int64(limit))])
        case .persistenceUnavailable(let reason): Self.make("PersistenceUnavailable", ["reason": .string(reason)])
        }
    }

    /// Recognises one among errors received; nil for any other. A parameter that is missing reads as empty text or 0.
    public init?(_ error: VarlinkError) {
        func text(_ name: String) -> String { error.parameters[name]?.string ?? "" }
        func number(_ name: String) -> Int { Int(error.parameters[name]?.int ?? 0) }
        guard error.name.hasPrefix(Self.prefix) else { return nil }
        switch error.name.dropFirst(Self.prefix.count) {
        case "NoSuchMonitor": self = .noSuchMonitor(name: text("name"))
        case "MonitorInUse": self = .monitorInUse(name: text("name"), process: number("process"))
        case "NoSuchCondition": self = .noSuchCondition(identifier: text("identifier"))
        case "InvalidCondition": self = .invalidCondition(identifier: text("identifier"), reason: text("reason"))
        case "InvalidName": self = .invalidName(name: text("name"), reason: text("reason"))
        case "TooManyConditions": self = .tooManyConditions(limit: number("limit"))
        case "TooManyMonitors": self = .tooManyMonitors(limit: number("limit"))
        case "PersistenceUnavailable": self = .persistenceUnavailable(reason: text("reason"))
        default: return nil
        }
    }

    private static func make(_ name: String, _ parameters: [String: JSONValue]) -> VarlinkError {
        VarlinkError(name: prefix + name, parameters: parameters)
    }
}
