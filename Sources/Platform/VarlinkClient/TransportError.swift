import Varlink

/// Why a call has ended without a reply.
package enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No daemon answered at `socket` for the whole time that a call waits; `reason` is that of the
    /// last attempt.
    case noAnswer(socket: String, reason: String)
    /// The daemon answered with an error.
    case failed(method: String, error: VarlinkError)
    /// The reply to `method` does not match its type.
    case unexpectedReply(method: String, reason: String)
    /// The call cannot be sent: its parameters do not encode as JSON.
    case notSent(method: String, reason: String)
    /// The process has no descriptor or thread left.
    case noResources(reason: String)

    /// Whether the daemon was not reached. A call that persists continues after such an error.
    package var isLackOfAnswer: Bool {
        switch self {
        case .noAnswer, .noResources: true
        case .failed, .unexpectedReply, .notSent: false
        }
    }

    /// One sentence for users, with what to check if no daemon answers.
    package var description: String {
        switch self {
        case .noAnswer(let socket, let reason) where socket.hasSuffix("/io.sextant.Places"):
            """
            no service of places answers at \(socket): \(reason). Check that sextant-places is installed (systemctl \
            status sextant-places.socket), and that places were imported (sextant places)
            """
        case .noAnswer(let socket, let reason):
            """
            no location service answers at \(socket): \(reason). Check that sextantd runs (systemctl status \
            sextantd.socket sextantd.service) and that SEXTANT_SOCKET, if it is set, names its socket
            """
        case .failed(let method, let error): "\(method) failed: \(error)"
        case .unexpectedReply(let method, let reason):
            "the reply to \(method) does not match the interface: \(reason)"
        case .notSent(let method, let reason): "\(method) cannot be called: \(reason)"
        case .noResources(let reason): "no connection to the location service is possible: \(reason)"
        }
    }
}
