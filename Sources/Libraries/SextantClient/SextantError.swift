import Varlink
import VarlinkClient

@_exported import enum Varlink.JSONValue

/// Why a call of the location service has failed.
public enum SextantError: Error, Hashable, Sendable {
    /// No daemon has answered for half a minute, or the process has no descriptor left. The text
    /// names what to check.
    case noAnswer(String)
    /// No position arrived within the timeout.
    case locationUnavailable(cause: LocationUpdate.Cause, detail: String)
    /// The program may not know this.
    case permissionDenied(authorization: Authorization, decidedBy: String, detail: String)
    /// No receiver has this name or port.
    case noSuchReceiver(String, known: [String])
    /// The program has no monitor with this name.
    case noSuchMonitor(String)
    /// The monitor has no condition with this identifier.
    case noSuchCondition(String)
    /// Another program, or another part of this one, has the monitor open.
    case monitorInUse(String, process: Int)
    /// A lease must begin while the program is in use.
    case notInUse(detail: String)
    /// Any other error of the daemon: its full name, and its text or parameters.
    case refused(name: String, detail: String)
    /// The parameters cannot be sent, or the reply cannot be read.
    case invalidMessage(String)
}

extension SextantError: CustomStringConvertible {
    /// One or two sentences for users.
    public var description: String {
        switch self {
        case .noAnswer(let text), .invalidMessage(let text): text
        case .locationUnavailable(_, let detail): detail
        case .permissionDenied(_, _, let detail): detail
        case .noSuchReceiver(let name, let known):
            "there is no receiver \(name)" + (known.isEmpty ? "" : "; there is \(known.joined(separator: ", "))")
        case .noSuchMonitor(let name): "there is no monitor \(name)"
        case .noSuchCondition(let identifier): "there is no condition \(identifier)"
        case .monitorInUse(let name, let process): "process \(process) has the monitor \(name) open"
        case .notInUse(let detail): detail
        case .refused(let name, let detail): "\(name): \(detail)"
        }
    }
}

extension SextantError {
    init(_ error: TransportError) {
        switch error {
        case .failed(_, let reply): self.init(reply)
        case .noAnswer, .noResources: self = .noAnswer(error.description)
        case .unexpectedReply, .notSent: self = .invalidMessage(error.description)
        }
    }

    /// Creates the error of an error reply.
    private init(_ reply: VarlinkError) {
        func text(_ name: String) -> String { reply.parameters[name]?.string ?? "" }
        switch reply.name {
        case "io.sextant.Location.LocationUnavailable":
            self = .locationUnavailable(cause: LocationUpdate.Cause(rawValue: text("cause")), detail: text("detail"))
        case "io.sextant.Location.PermissionDenied", "io.sextant.Monitor.PermissionDenied",
            "io.sextant.Manager.PermissionDenied":
            self = .permissionDenied(
                authorization: Authorization(rawValue: text("authorization")), decidedBy: text("decidedBy"),
                detail: text("detail"))
        case "io.sextant.Location.NoSuchReceiver", "io.sextant.Receiver.NoSuchReceiver":
            self = .noSuchReceiver(
                text("receiver"), known: reply.parameters["known"]?.array?.compactMap(\.string) ?? [])
        case "io.sextant.Monitor.NoSuchMonitor": self = .noSuchMonitor(text("name"))
        case "io.sextant.Monitor.NoSuchCondition": self = .noSuchCondition(text("identifier"))
        case "io.sextant.Monitor.MonitorInUse":
            self = .monitorInUse(text("name"), process: Int(reply.parameters["process"]?.int ?? 0))
        case "io.sextant.Session.NotInUse": self = .notInUse(detail: text("detail"))
        default:
            let detail = text("reason").isEmpty ? text("detail") : text("reason")
            self = .refused(name: reply.name, detail: detail.isEmpty ? "\(JSONText(reply.parameters))" : detail)
        }
    }
}

/// The parameters of an error as text.
private struct JSONText: CustomStringConvertible {
    let description: String

    init(_ parameters: [String: JSONValue]) {
        description = String(decoding: JSONValue.object(parameters).bytes, as: UTF8.self)
    }
}
