import SextantAPI
import Varlink
import VarlinkClient

/// Why a call of the location service has failed.
public enum SextantError: Error, Hashable, Sendable {
    /// No daemon has answered for half a minute, or the process has no descriptor left. The text
    /// names what to check.
    case noAnswer(String)
    /// No position arrived within the timeout.
    case locationUnavailable(cause: Cause, detail: String)
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

    private init(_ reply: VarlinkError) {
        if case .locationUnavailable(let cause, let detail)? = LocationError(reply) {
            self = .locationUnavailable(cause: cause, detail: detail)
        } else if let error = PermissionDeniedError(reply) {
            self = .permissionDenied(
                authorization: error.authorization, decidedBy: error.decidedBy, detail: error.detail)
        } else if let error = NoSuchReceiverError(reply) {
            self = .noSuchReceiver(error.receiver, known: error.known)
        } else if case .notInUse(let detail)? = SessionError(reply) {
            self = .notInUse(detail: detail)
        } else {
            switch MonitorError(reply) {
            case .noSuchMonitor(let name)?: self = .noSuchMonitor(name)
            case .noSuchCondition(let identifier)?: self = .noSuchCondition(identifier)
            case .monitorInUse(let name, let process)?: self = .monitorInUse(name, process: process)
            default: self = .refused(name: reply.name, detail: SextantError.detail(of: reply))
            }
        }
    }

    /// The text of an error, or its parameters.
    private static func detail(of reply: VarlinkError) -> String {
        let texts = ["reason", "detail"].compactMap { reply.parameters[$0]?.string }
        return texts.first { !$0.isEmpty } ?? String(decoding: JSONValue.object(reply.parameters).bytes, as: UTF8.self)
    }
}
