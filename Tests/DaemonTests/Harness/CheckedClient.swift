import TestSupport
import Varlink
import VarlinkClient

/// A connection to the daemon that validates every reply against the interface descriptions.
final class CheckedClient {
    private let client: BlockingClient
    private let checks: InterfaceChecks

    init(_ client: BlockingClient, _ checks: InterfaceChecks) {
        (self.client, self.checks) = (client, checks)
    }

    /// Calls a method and waits for its reply.
    @discardableResult
    func call(_ method: String, _ parameters: JSONValue = [:], within span: Duration = timeout) throws -> JSONValue {
        do {
            let reply = try client.call(method, with: parameters, timeout: span)
            try checks.check(reply.object ?? [:], replyTo: method)
            return reply
        } catch ClientError.failed(let method, let error) {
            try checks.check(error)
            throw ClientError.failed(method: method, error: error)
        }
    }

    /// Calls a method that must fail and returns its error.
    func failure(of method: String, _ parameters: JSONValue = [:], within span: Duration = timeout) throws
        -> VarlinkError
    {
        do {
            let reply = try call(method, parameters, within: span)
            throw TestFailure("\(method) did not fail but replied \(reply)")
        } catch ClientError.failed(_, let error) {
            return error
        }
    }

    /// Opens a stream; this connection cannot make other calls afterwards.
    func subscribe(
        _ configuration: String = "automotiveNavigation", receiver: String? = nil, options: [String: JSONValue] = [:]
    ) throws -> Subscription {
        var parameters = options
        parameters["configuration"] = .string(configuration)
        parameters["receiver"] = receiver.map { .string($0) }
        return Subscription(
            try client.stream("io.sextant.Location.Subscribe", with: JSONValue.object(parameters)), checks)
    }

    func openMonitor(_ name: String, _ more: [String: JSONValue] = [:]) throws -> MonitorStream {
        let parameters = more.merging(["name": .string(name)]) { $1 }
        return try MonitorStream(
            try client.stream("io.sextant.Monitor.Open", with: JSONValue.object(parameters)), checks)
    }

    func watch(receiver: String? = nil) throws -> ReplyStream {
        try client.stream(
            "io.sextant.Receiver.Watch", with: JSONValue.object(receiver.map { ["receiver": .string($0)] } ?? [:]))
    }
}

/// One update of a stream.
struct ReceivedUpdate {
    let parameters: JSONValue
    let sequence: Int
    let dropped: Int
    var location: JSONValue? { parameters["location"] }
    var timestamp: String? { location?["timestamp"]?.string }
    var cause: String? { parameters["cause"]?.string }
    var detail: String { parameters["detail"]?.string ?? "" }
    /// Whether the program may not know the location.
    var isDenied: Bool {
        ["authorizationDenied", "authorizationRequestInProgress", "insufficientlyInUse", "serviceSessionRequired"]
            .contains { parameters[$0] == true }
    }
    var isUnavailable: Bool { parameters["locationUnavailable"]?.bool == true && location == nil }
}

/// A stream of updates that validates each update and checks that missing ones are counted.
final class Subscription {
    private var stream: ReplyStream
    private let checks: InterfaceChecks
    private(set) var received = 0
    private(set) var last: ReceivedUpdate?

    init(_ stream: ReplyStream, _ checks: InterfaceChecks) {
        (self.stream, self.checks) = (stream, checks)
    }

    var descriptor: Int32 { stream.fileDescriptor }

    @discardableResult
    func next(within span: Duration = timeout) throws -> ReceivedUpdate {
        guard let reply = try stream.next(timeout: span) else { throw TestFailure("the stream has ended") }
        return try take(reply)
    }

    /// Returns the next update if it has already arrived.
    func present() throws -> ReceivedUpdate? {
        switch try stream.nextIfAvailable() {
        case .reply(let reply): return try take(reply)
        case .pending: return nil
        case .ended: throw TestFailure("the stream has ended")
        }
    }

    /// Returns the last update if it satisfies `isWanted`; otherwise reads until one does.
    @discardableResult
    func until(_ what: String, within span: Duration = timeout, _ isWanted: (ReceivedUpdate) -> Bool) throws
        -> ReceivedUpdate
    {
        if let last, isWanted(last) { return last }
        let deadline = Deadline(span)
        while !deadline.isPast {
            guard waitReadable(descriptor, within: .milliseconds(Int64(deadline.millisecondsLeft))) || !deadline.isPast
            else { break }
            while let update = try present() {
                if isWanted(update) { return update }
            }
        }
        throw TestFailure(
            "not within \(span): \(what); the last update was \(last.map { "\($0.parameters)" } ?? "none")")
    }

    @discardableResult
    func untilLocation(within span: Duration = timeout) throws -> ReceivedUpdate {
        try until("a position", within: span) { $0.location != nil }
    }

    /// Reads until an update reports no location for this cause.
    @discardableResult
    func until(cause: String, within span: Duration = timeout) throws -> ReceivedUpdate {
        try until("no position because \(cause)", within: span) { $0.cause == cause }
    }

    private func take(_ reply: Reply) throws -> ReceivedUpdate {
        try checks.check(reply.parameters, replyTo: "io.sextant.Location.Subscribe")
        let parameters = JSONValue.object(reply.parameters)
        guard let sequence = parameters["sequence"]?.int, let dropped = parameters["dropped"]?.int else {
            throw TestFailure("an update without its numbers: \(parameters)")
        }
        let update = ReceivedUpdate(parameters: parameters, sequence: Int(sequence), dropped: Int(dropped))
        received += 1
        guard update.sequence == received + update.dropped, update.dropped >= last?.dropped ?? 0 else {
            throw TestFailure(
                "update \(received) has sequence \(sequence) and dropped \(dropped) after \(last?.dropped ?? 0)")
        }
        let reasons = [update.location != nil, update.isUnavailable, update.isDenied]
        guard reasons.count(where: \.self) == 1 else {
            throw TestFailure("an update without a position or one reason for its lack: \(parameters)")
        }
        last = update
        return update
    }
}
