import Chronology
import ServiceRuntime
import SextantAPI
import Varlink

/// The calls of `Where` that wait for the daemon, or for their turn after its answer.
final class WaitingCalls {
    /// The number of calls of all users, and of one user. The daemon sees a connection of each.
    private static let maxCalls = 48
    private static let maxPerUser = 8
    /// The time for the daemon's answer. It waits 10 s for a position itself.
    private static let patience = Instant.Span.seconds(15)

    /// A call whose position has been asked for.
    struct Waiting {
        /// The call, with the session that answers it.
        let call: Call
        fileprivate let user: UInt32
        fileprivate let deadline: Instant
        fileprivate let request: CallerLocation
        fileprivate var outcome: CallerLocation.Outcome?
    }

    private let path: String
    private let loop: EventLoop
    private let answered: (Int, Call) -> Void
    private var calls: [Int: Waiting] = [:]

    /// Creates an empty list for the daemon at a path.
    ///
    /// - Parameter answered: Called with the number of a session and its call when ``take(_:)`` has
    ///   the answer.
    init(daemon path: String, loop: EventLoop, answered: @escaping (Int, Call) -> Void) {
        self.path = path
        self.loop = loop
        self.answered = answered
    }

    /// When ``tick(at:)`` is due; nil if no call waits.
    var deadline: Instant? { calls.values.lazy.filter { $0.outcome == nil }.map(\.deadline).min() }

    /// Asks the daemon for the position that a call of a client needs. It has no other call that
    /// waits.
    func begin(_ call: Call, of client: PlacesSession) throws(PlacesFailure) {
        let number = client.number
        guard calls.count < WaitingCalls.maxCalls else { throw .tooManyWaiting(limit: WaitingCalls.maxCalls) }
        guard calls.values.count(where: { $0.user == client.user }) < WaitingCalls.maxPerUser else {
            throw .tooManyWaiting(limit: WaitingCalls.maxPerUser)
        }
        let request = try CallerLocation(of: client.descriptor, to: path, in: loop) { [unowned self] outcome in
            finish(number, outcome)
        }
        calls[number] = Waiting(
            call: call, user: client.user, deadline: loop.now + WaitingCalls.patience, request: request)
    }

    /// Removes the call of a client, and returns what the daemon has answered; nil if it has not.
    func take(_ number: Int) -> CallerLocation.Outcome? {
        guard let outcome = calls[number]?.outcome else { return nil }
        calls[number] = nil
        return outcome
    }

    /// Forgets the call of a client that has disconnected.
    func cancel(_ number: Int) { calls.removeValue(forKey: number)?.request.close() }

    /// Ends the calls that the daemon has not answered in time.
    func tick(at now: Instant) {
        for (number, call) in calls where call.outcome == nil && now >= call.deadline {
            let failure = PlacesFailure.daemonUnavailable(
                reason: "sextantd has not answered in \(Int(WaitingCalls.patience.seconds)) s")
            finish(number, .refused(failure.reply))
        }
    }

    private func finish(_ number: Int, _ outcome: CallerLocation.Outcome) {
        guard let call = calls[number]?.call else { return }
        calls[number]?.request.close()
        calls[number]?.outcome = outcome
        answered(number, call)
    }
}
