import Geodesy
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

/// A request to the daemon for the location of the device, as a client may know it.
///
/// It has a connection of its own. With the first call it passes the client's socket, and the
/// daemon reads from the kernel which program is at the other end. A claim of this program would
/// prove nothing.
final class CallerLocation {
    /// What the daemon has answered.
    enum Outcome {
        /// The location that the client may know.
        case location(Coordinate, isReduced: Bool)
        /// The error for the client.
        case refused(VarlinkError)
    }

    /// The age of the position in seconds, at most.
    private static let maxAge = 10.0
    /// The length of a reply in bytes, at most.
    private static let replyLimit = 65_536

    private let answered: (Outcome) -> Void
    private var client: LoopClient?
    /// Whether the daemon counts this connection as one of the client.
    private var actsForClient = false

    /// Connects to the daemon and passes it the socket of a client.
    ///
    /// - Parameter answered: Called once. It captures its owner unowned or weakly.
    init(
        of client: Int32, to path: String, in loop: EventLoop, answered: @escaping (Outcome) -> Void
    ) throws(PlacesFailure) {
        self.answered = answered
        do throws(SystemError) {
            self.client = try LoopClient(to: path, in: loop, replyLimit: CallerLocation.replyLimit) {
                [weak self] event in self?.handle(event)
            }
        } catch {
            throw .daemonUnavailable(
                reason: "\(error); start sextantd, for example with: systemctl start sextantd.socket")
        }
        try send(Call(method: SessionMethods.actFor.name), passing: client)
    }

    /// Ends the request without an answer.
    func close() {
        client?.close()
        client = nil
    }

    private func handle(_ event: LoopClient.Event) {
        do throws(PlacesFailure) {
            guard case .reply(let match) = event else {
                throw .daemonUnavailable(reason: "sextantd has ended the connection or sent no valid reply; try again")
            }
            if let outcome = try outcome(of: match.reply) { finish(outcome) }
        } catch {
            finish(.refused(error.reply))
        }
    }

    private func finish(_ outcome: Outcome) {
        close()
        answered(outcome)
    }

    private func outcome(of reply: Reply) throws(PlacesFailure) -> Outcome? {
        guard actsForClient else {
            if let error = reply.failure { return try refusal(error) }
            actsForClient = true
            let parameters = GetLocationParameters(maximumAge: CallerLocation.maxAge)
            guard let call = try? LocationMethods.getLocation.call(with: parameters) else {
                throw .daemonUnavailable(reason: "the call cannot be written")
            }
            try send(call)
            return nil
        }
        if let error = reply.failure { return .refused(error) }
        guard let location = try? reply.parameters(of: LocationMethods.getLocation).location,
            let point = Coordinate(latitude: location.latitude, longitude: location.longitude)
        else { throw .daemonUnavailable(reason: "sextantd sent no valid position") }
        return .location(point, isReduced: location.isReduced)
    }

    /// What the client gets if this program may not act for it. The limits of the daemon are the
    /// client's own.
    private func refusal(_ error: VarlinkError) throws(PlacesFailure) -> Outcome {
        switch (ManagerError(error), SessionError(error)) {
        case (.tooManyConnections?, _), (.tooManyNewConnections?, _): return .refused(error)
        case (_, .unknownClient?): throw .unknownProgram
        default:
            let detail = error.parameters["detail"]?.string.map { ": \($0)" } ?? ""
            throw .daemonUnavailable(reason: "sextantd refuses sextant-places: \(error.name)\(detail)")
        }
    }

    private func send(_ call: Call, passing descriptor: Int32? = nil) throws(PlacesFailure) {
        do throws(Outbox.Overflow) { try client?.send(call, passing: descriptor) } catch {
            throw .daemonUnavailable(reason: "the call is too long")
        }
    }
}
