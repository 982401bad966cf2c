import Chronology
import Locator
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// How much of the location an open request gets.
enum RequestAccess {
    case full
    /// The reduced location. `lacksLocation` states whether the last update had none.
    case reduced(PermissionVerdict, lacksLocation: Bool)
    case denied(PermissionVerdict)
    /// Nothing yet: an agent may answer until this instant.
    case waiting(PermissionVerdict, until: Instant)

    /// The verdict that limits the request; nil if none does.
    var verdict: PermissionVerdict? {
        switch self {
        case .full: nil
        case .reduced(let verdict, lacksLocation: _), .denied(let verdict), .waiting(let verdict, until: _): verdict
        }
    }

    fileprivate var deadline: Instant? { if case .waiting(_, let deadline) = self { deadline } else { nil } }
}

/// The open requests of a service for the location, and how much of it each gets.
///
/// The core knows only the requests of programs that may know the location. The others stay open
/// here, without any demand on receivers, until their permission changes.
final class PermittedRequests {
    private let context: ServiceContext
    private let isIncluded: (ClientState.Activity) -> Bool
    /// The access of the requests that do not get everything, by the number of their session.
    private var limited: [Int: RequestAccess] = [:]
    /// The number of requests that wait for the answer of an agent.
    private var waitingCount = 0

    /// - Parameter isIncluded: Returns whether an activity is a request of the service.
    init(_ context: ServiceContext, where isIncluded: @escaping (ClientState.Activity) -> Bool) {
        self.context = context
        self.isIncluded = isIncluded
    }

    func isFull(_ session: ClientSession) -> Bool { limited.isEmpty || limited[session.number] == nil }

    subscript(number: Int) -> RequestAccess {
        get { limited[number] ?? .full }
        set {
            if limited[number]?.deadline != nil { waitingCount -= 1 }
            if newValue.deadline != nil { waitingCount += 1 }
            limited[number] = newValue.verdict == nil ? nil : newValue
        }
    }

    /// Returns the session of a request that gets everything; nil if there is none any more.
    subscript(full id: RequestID) -> ClientSession? {
        context.server[id.rawValue].flatMap { isFull($0) ? $0 : nil }
    }

    /// When the first request has waited long enough for the answer of an agent; nil if none waits.
    var deadline: Instant? { waitingCount == 0 ? nil : limited.values.lazy.compactMap(\.deadline).min() }

    /// Returns the requests that have waited long enough, with their verdicts.
    func expired(at now: Instant) -> [(number: Int, verdict: PermissionVerdict)] {
        guard let deadline, deadline <= now else { return [] }
        return limited.compactMap { number, access in
            guard case .waiting(let verdict, let deadline) = access, deadline <= now else { return nil }
            return (number, verdict)
        }
    }

    func begin(_ session: ClientSession) -> PermissionVerdict { context.permissions.beginRequest(of: session.owner) }

    /// Ends the request of a session in the core and in the permissions.
    func end(_ session: ClientSession) {
        context.locator.cancel([RequestID(session.number)])
        self[session.number] = .full
        context.permissions.endRequest(of: session.owner)
    }

    /// Applies a new verdict to the open requests of a program.
    ///
    /// - Parameter open: Opens a request again as far as the verdict allows.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, _ open: (ClientSession) -> Void) {
        // A change of what decided alone changes nothing for a program that gets everything.
        let sessions = context.server.sessions(of: program, where: { isIncluded($0.activity) }).filter { session in
            limited[session.number] != nil || !verdict.allowsFullLocation
        }
        context.locator.cancel(Set(sessions.map { RequestID($0.number) }), isInterruption: true)
        for session in sessions {
            // What a client has not read must not be read after a denial.
            if !verdict.allowsFullLocation { session.connection.discardUpdates() }
            open(session)
            context.server.flush(session)
        }
    }
}

extension ServerSession<ClientState> {
    /// Throws for a client that may not know where the device was in the past.
    func requirePast(in context: ServiceContext) throws(VarlinkError) {
        let verdict = context.permissions.verdict(of: owner)
        guard !verdict.allowsPast else { return }
        throw PermissionDeniedError(verdict, of: owner, needs: "the full location at any time").reply(in: .location)
    }
}

extension PermissionVerdict {
    /// Whether the program may know where the device was while the program was not in use: visits
    /// and the track.
    var allowsPast: Bool { allowsFullLocation && authorization == .always }
}
