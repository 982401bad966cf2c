import Chronology
import ServiceRuntime
import Varlink
import VarlinkClient

/// Passes calls of the page on to the daemon and to the service of places.
///
/// Calls that change something, others, and those of places have a connection each, so that none
/// waits for those of another kind.
final class CallRelay {
    let metrics: DaemonCalls
    private let reading: RelayedCalls
    private let editing: RelayedCalls
    private let places: RelayedCalls

    /// - Parameters:
    ///   - daemon: The path of the daemon's socket.
    ///   - places: The path of the socket of places.
    init(daemon: String, places: String, in loop: EventLoop) {
        metrics = DaemonCalls(of: daemon, in: loop)
        reading = RelayedCalls(of: daemon, in: loop)
        editing = RelayedCalls(of: daemon, in: loop)
        self.places = RelayedCalls(of: places, in: loop)
    }

    private var all: [DaemonCalls] { [metrics, reading.calls, editing.calls, places.calls] }

    /// When ``tick(at:)`` must be called; nil while no call waits.
    var deadline: Instant? { all.compactMap(\.deadline).min() }

    /// Fails calls without an answer in time.
    func tick(at now: Instant) {
        for calls in all { calls.tick(at: now) }
    }

    /// Answers a request to call a method.
    ///
    /// - Parameter mayEdit: Whether it may be one that changes something.
    func answer(_ exchange: HTTPExchange, method name: String, mayEdit: Bool) {
        guard let entry = CallTable.entry(of: name) else {
            return exchange.answer(.error(404, "MethodNotListed", ["method": .string(name)]))
        }
        guard mayEdit || !entry.isEdit else {
            return exchange.answer(.error(403, "EditingIsOff", ["method": .string(name)]))
        }
        (entry.service == .places ? places : entry.isEdit ? editing : reading).add(exchange, name)
    }
}

/// Calls of one connection, one after another. One whose request has ended meanwhile is not made.
private final class RelayedCalls {
    private static let maxWaiting = 16

    private struct Waiting {
        weak var exchange: HTTPExchange?
        let method: String
    }

    let calls: DaemonCalls
    private var waiting: [Waiting] = []
    private var isBusy = false

    init(of path: String, in loop: EventLoop) { calls = DaemonCalls(of: path, in: loop) }

    func add(_ exchange: HTTPExchange, _ method: String) {
        waiting.removeAll { $0.exchange == nil }
        guard waiting.count < RelayedCalls.maxWaiting else {
            return exchange.answer(.error(503, "TooManyCalls", ["limit": .int(Int64(RelayedCalls.maxWaiting))]))
        }
        waiting.append(Waiting(exchange: exchange, method: method))
        if !isBusy { makeNext() }
    }

    private func makeNext() {
        isBusy = false
        while !waiting.isEmpty, !isBusy {
            let next = waiting.removeFirst()
            guard let exchange = next.exchange else { continue }
            guard let parameters = (try? JSONValue(parsing: exchange.body))?.object else {
                exchange.answer(.error(400, "NoObject", ["method": .string(next.method)]))
                continue
            }
            isBusy = true
            calls.call(Method<AnyMessage, AnyMessage>(named: next.method), with: AnyMessage(members: parameters)) {
                [weak self, weak exchange] result in
                switch result {
                case .success(let reply): exchange?.answer(.data(JSONValue.object(reply.members).bytes))
                case .failure(let error): exchange?.answer(.failure(error))
                }
                self?.makeNext()
            }
        }
    }
}

extension HTTPResponse {
    fileprivate static func error(_ status: UInt32, _ name: String, _ parameters: JSONValue) -> HTTPResponse {
        let content: JSONValue = ["error": .string("io.sextant.Web." + name), "parameters": parameters]
        return data(content.bytes, status: status)
    }

    /// An error of a call: that of the service, or that the service does not answer.
    fileprivate static func failure(_ error: ClientError) -> HTTPResponse {
        switch error {
        case .failed(_, let error):
            let content: JSONValue = ["error": .string(error.name), "parameters": .object(error.parameters)]
            return data(content.bytes, status: status(of: error))
        case .timedOut: return self.error(504, "NoAnswer", ["detail": .string("\(error)")])
        default: return self.error(502, "NotConnected", ["detail": .string("\(error)")])
        }
    }

    private static func status(of error: VarlinkError) -> UInt32 {
        switch error.name.split(separator: ".").last {
        case "PermissionDenied"?, "NotAllowed"?: 403
        case "MethodNotFound"?, "InterfaceNotFound"?, "MethodNotImplemented"?: 404
        case "Internal"?: 500
        default: 400
        }
    }
}

/// The methods that the page may call.
struct CallTable {
    /// Who answers a method, and whether it changes something.
    struct Entry: Equatable {
        enum Service { case daemon, places }

        let service: Service
        let isEdit: Bool
    }

    /// The beginning of the names of all interfaces.
    private static let prefix = "io.sextant."

    private static let reading: Set<String> = [
        "Location.Track", "Location.Visits", "Manager.GetConsumers", "Manager.GetPower", "Manager.GetStatus",
        "Monitor.Export", "Monitor.GetRecord", "Monitor.List", "Monitor.ListMonitors", "Monitor.Nearest",
        "Permission.Explain", "Receiver.List", "Session.GetAuthorization",
    ]
    private static let editing: Set<String> = ["Monitor.Add", "Monitor.Delete", "Monitor.Import", "Monitor.Remove"]
    private static let places: Set<String> = ["Places.Forward", "Places.Reverse", "Places.Search", "Places.Sources"]

    /// The entry of a method, by its name with the interface; nil if the page may not call it.
    static func entry(of method: String) -> Entry? {
        guard method.hasPrefix(prefix) else { return nil }
        let name = String(method.dropFirst(prefix.count))
        if reading.contains(name) { return Entry(service: .daemon, isEdit: false) }
        if editing.contains(name) { return Entry(service: .daemon, isEdit: true) }
        return places.contains(name) ? Entry(service: .places, isEdit: false) : nil
    }
}
