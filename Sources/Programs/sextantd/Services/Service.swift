import Chronology
import Locator
import Logging
import Permission
import ServiceRuntime
import SextantAPI
import Varlink

/// A part of the daemon that answers methods of the socket. It owns its state.
///
/// ``DaemonServices`` creates it and calls it in the order of the turn.
protocol Service: AnyObject {
    /// The parts that it shares with other services.
    var context: ServiceContext { get }
    /// The full names of the methods that it answers.
    var methods: [String] { get }

    /// Answers a call of one of its methods, or begins a stream on the session.
    ///
    /// - Throws: The error reply of the call.
    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError)

    /// Releases what the session used; called when its connection has ended.
    func sessionClosed(_ session: ClientSession, at now: Instant)

    /// Applies a new verdict to the open requests of a program.
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant)

    /// Applies settings, which ``ServiceContext/settings`` has already.
    func apply(_ settings: Settings, at now: Instant)

    /// When ``tick(at:)`` or ``endTurn(at:)`` is due; nil if neither is.
    var deadline: Instant? { get }

    /// Performs due work.
    func tick(at now: Instant)

    /// Ends a turn, after all effects of the core were performed.
    func endTurn(at now: Instant)

    /// Saves pending data; nothing follows.
    func stop(at now: Instant)
}

extension Service {
    func sessionClosed(_ session: ClientSession, at now: Instant) {}
    func verdictChanged(of program: ProgramID, to verdict: PermissionVerdict, at now: Instant) {}
    func apply(_ settings: Settings, at now: Instant) {}
    var deadline: Instant? { nil }
    func tick(at now: Instant) {}
    func endTurn(at now: Instant) {}
    func stop(at now: Instant) {}
}

extension Service {
    var server: VarlinkServer<ClientState> { context.server }
    var permissions: PermissionCenter { context.permissions }
    var loop: EventLoop { context.loop }
    var memory: MemoryTrimmer { context.memory }
    var log: Logger { context.log }

    /// Whether a client may know what others request, and how often receivers are read: that
    /// reveals whether the device moves. Who decides about programs must see them.
    func hasInsight(_ session: ClientSession) -> Bool {
        permissions.mayBeChanged(by: session) || permissions.verdict(of: session.owner).allowsFullLocation
    }

    func requireInsight(_ session: ClientSession) throws(VarlinkError) {
        guard hasInsight(session) else {
            let verdict = permissions.verdict(of: session.owner)
            throw PermissionDeniedError(verdict, of: session.owner).reply(in: .manager)
        }
    }
}

extension Call {
    /// Returns the parameters of a call of `method`.
    ///
    /// - Throws: The error reply `InvalidParameter`.
    func decode<Parameters, Reply>(_ method: Method<Parameters, Reply>) throws(VarlinkError) -> Parameters {
        do throws(ServiceError) { return try parameters(of: method) } catch { throw error.reply }
    }

    /// The error reply for a method that the service does not implement.
    var methodNotImplemented: VarlinkError { ServiceError.methodNotImplemented(method: method).reply }
}

extension ServiceError {
    /// Returns a time parameter in milliseconds since 1970; nil if it is absent.
    static func time(_ text: String?, of parameter: String) throws(VarlinkError) -> Int64? {
        guard let text else { return nil }
        guard let time = UTCTime(rfc3339: text) else { throw invalid(parameter) }
        return time.milliseconds
    }

    static func invalid(_ parameter: String) -> VarlinkError { invalidParameter(parameter: parameter).reply }
}

extension ServerSession<ClientState> {
    /// Answers a call of `method` with one reply, which `reply` makes from the parameters.
    func serve<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, call: Call,
        reply: (Parameters) throws(VarlinkError) -> Reply
    ) throws(VarlinkError) {
        self.reply(to: method, try reply(try call.decode(method)))
    }
}

/// A service that knows of receivers what the core and the ports do not.
protocol ReceiverContributor: AnyObject {
    /// Adds what the service knows to the message of a receiver.
    func addDetails(to message: inout Receiver, of id: ReceiverID)
}
