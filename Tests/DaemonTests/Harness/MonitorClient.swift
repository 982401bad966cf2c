import TestSupport
import Varlink
import VarlinkClient

/// An open monitor on its own connection; validates each reply and the order of the events.
final class MonitorStream {
    private var stream: ReplyStream
    private let checks: InterfaceChecks
    /// The last reported state of the monitor.
    private(set) var monitor: JSONValue?
    private(set) var events: [MonitorEvent] = []

    init(_ stream: ReplyStream, _ checks: InterfaceChecks) throws {
        (self.stream, self.checks) = (stream, checks)
        guard let first = try self.stream.next(timeout: timeout) else { throw TestFailure("Open has ended") }
        try take(first)
        guard monitor != nil, events.isEmpty else {
            throw TestFailure("the first reply is no monitor but \(first.parameters)")
        }
    }

    var descriptor: Int32 { stream.fileDescriptor }

    func next(within span: Duration = timeout) throws -> MonitorEvent {
        let deadline = Deadline(span)
        while !deadline.isPast {
            guard let reply = try stream.next(timeout: .milliseconds(Int64(deadline.millisecondsLeft))) else { break }
            if let event = try take(reply) { return event }
        }
        throw TestFailure("no event; the last was \(events.last.map { "\($0)" } ?? "none")")
    }

    /// Returns the next event if it has already arrived.
    func present() throws -> MonitorEvent? {
        while true {
            switch try stream.nextIfAvailable() {
            case .reply(let reply): if let event = try take(reply) { return event }
            case .pending: return nil
            case .ended: throw TestFailure("Open has ended")
            }
        }
    }

    @discardableResult
    private func take(_ reply: Reply) throws -> MonitorEvent? {
        try checks.check(reply.parameters, replyTo: "io.sextant.Monitor.Open")
        if let message = reply.parameters["monitor"] { monitor = message }
        guard let message = reply.parameters["event"] else { return nil }
        guard let event = MonitorEvent(message) else { throw TestFailure("not an event: \(message)") }
        let before = events.last { $0.identifier == event.identifier }
        if let before, before.id >= event.id {
            throw TestFailure("event \(event.id) of \(event.identifier) after \(before.id)")
        }
        events.append(event)
        return event
    }
}

/// A monitor event in its wire form.
struct MonitorEvent: Equatable, CustomStringConvertible {
    let id: Int
    let identifier: String
    let kind: String
    let state: String
    let folded: Int
    let json: JSONValue

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.int, let identifier = json["identifier"]?.string, let kind = json["kind"]?.string,
            let state = json["state"]?.string, let folded = json["folded"]?.int
        else { return nil }
        self.id = Int(id)
        self.identifier = identifier
        self.kind = kind
        self.state = state
        self.folded = Int(folded)
        self.json = json
    }

    var description: String { "\(id) \(identifier) \(kind)\(folded > 0 ? " (\(folded) folded)" : "")" }
}

extension CheckedClient {
    /// Opens a monitor; this connection cannot make other calls afterwards.
    func open(_ monitor: String) throws -> MonitorStream { try openMonitor(monitor) }

    @discardableResult
    func addCircle(
        _ identifier: String, at place: Places.Place, radius: Double = 200, to monitor: String,
        more: [String: JSONValue] = [:]
    ) throws -> JSONValue {
        try call(
            "io.sextant.Monitor.Add",
            ["name": .string(monitor), "conditions": [circle(identifier, at: place, radius: radius, more)]])
    }

    /// Acknowledges events and returns how many of them were outstanding.
    @discardableResult
    func acknowledge(_ events: [Int], of monitor: String) throws -> Int {
        let parameters: JSONValue = ["name": .string(monitor), "events": .array(events.map { .int(Int64($0)) })]
        return Int(try call("io.sextant.Monitor.Acknowledge", parameters)["acknowledged"]?.int ?? -1)
    }

    func record(_ identifier: String, of monitor: String) throws -> JSONValue {
        let parameters: JSONValue = ["name": .string(monitor), "identifier": .string(identifier)]
        return try call("io.sextant.Monitor.GetRecord", parameters)["record"] ?? .null
    }
}

/// Returns a circle in the form that `Add` accepts.
func circle(_ identifier: String, at place: Places.Place, radius: Double = 200, _ more: [String: JSONValue] = [:])
    -> JSONValue
{
    let center: JSONValue = ["latitude": .double(place.latitude), "longitude": .double(place.longitude)]
    var members = more
    members["identifier"] = .string(identifier)
    members["circle"] = ["center": center, "radius": .double(radius)]
    return .object(members)
}
