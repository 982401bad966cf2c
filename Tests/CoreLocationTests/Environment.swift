import Chronology
import DaemonSupport
import Foundation
import SextantAPI
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import CoreLocation

/// All tests of behaviour. They run one at a time: a daemon that starts while another test opens a
/// pseudo-terminal would inherit it, and the port would be busy.
@Suite(.serialized, .timeLimit(.minutes(1))) struct Behaviour {}

/// Runs `body` with a module that calls the daemon at a socket.
nonisolated(nonsending) func withModule<R>(
    at socket: String, answerTimeout: Double = 20, maximumDelay: Double = 0.05,
    _ body: nonisolated(nonsending) () async throws -> R
) async throws -> R {
    let transport = Transport(
        socket: socket,
        limits: .init(
            firstDelay: .milliseconds(5), maximumDelay: .seconds(maximumDelay), answerTimeout: .seconds(answerTimeout)))
    return try await DaemonConnection.$transportOfTest.withValue(transport) { try await body() }
}

/// A service at a socket that a test scripts.
struct Script {
    let scratch: Scratch
    let service: FakeService

    init() throws {
        scratch = try Scratch()
        service = try FakeService(at: scratch("socket"))
    }

    nonisolated(nonsending) func accept(_ method: String) async throws -> (FakeService.Connection, Call) {
        let connection = try await service.accept()
        let call = try await connection.call()
        #expect(call.member == method)
        return (connection, call)
    }
}

extension FakeService.Connection {
    /// Sends a reply after which others follow. It also has the counters of a stream of locations.
    nonisolated(nonsending) func send(_ parameters: [String: JSONValue]) async throws {
        let counters: [String: JSONValue] = ["sequence": 1, "dropped": 0]
        try await send(Reply(parameters: parameters.merging(counters) { own, _ in own }, continues: true))
    }

    /// Ends a call with an error.
    nonisolated(nonsending) func refuse(_ name: String, _ parameters: [String: JSONValue] = [:]) async throws {
        try await send(Reply(error: VarlinkError(name: name, parameters: parameters)))
    }
}

/// Returns a location as the daemon sends it.
func location(_ latitude: Double = 51.5, _ more: [String: JSONValue] = [:]) -> JSONValue {
    let members: [String: JSONValue] = [
        "timestamp": "2026-03-14T10:00:00.000Z", "latitude": .double(latitude), "longitude": -0.1,
        "horizontalAccuracy": 4.0, "accuracySource": "hdop", "mode": "3d", "quality": "autonomous", "receiver": "gps",
        "simulated": true,
    ]
    return .object(members.merging(more) { $1 })
}

/// Returns the reply of `io.sextant.Session` with a permission.
func permission(_ authorization: String) -> [String: JSONValue] {
    [
        "permission": [
            "program": "1000", "authorization": .string(authorization), "accuracy": "full", "decidedBy": "the default",
        ]
    ]
}

/// Returns the first reply of an open monitor.
func openMonitor() -> [String: JSONValue] {
    [
        "monitor": .object(
            MonitorState(
                name: "places", program: "1000", isOpen: true, conditions: 1, unmonitored: 0, pending: 0,
                persistenceUnavailable: false
            ).members)
    ]
}

/// Reads a sequence in a task of its own, and gives its elements to a test one at a time.
final class Reader<Element: Sendable>: Sendable {
    private let elements: AsyncStream<Result<Element, any Error>>
    let task: Task<Void, Never>

    init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Element, any Error>.self)
        elements = stream
        task = Task {
            do {
                for try await element in sequence { continuation.yield(.success(element)) }
            } catch {
                continuation.yield(.failure(error))
            }
            continuation.finish()
        }
    }

    deinit { task.cancel() }

    /// Returns the next element, or nil after the end.
    func next() async throws -> Element? {
        var iterator = elements.makeAsyncIterator()
        return try await iterator.next()?.get()
    }
}

/// A daemon with a receiver that a test moves.
final class Stage {
    let daemon: TestDaemon
    private let port: VirtualPort
    private var places = Places()

    static let away = Places.origin.moved(north: 0, east: 4000)

    private init(_ daemon: TestDaemon, _ port: VirtualPort) {
        (self.daemon, self.port) = (daemon, port)
        places.speed = 5
    }

    /// Runs `body` with a module that calls a daemon whose receiver is far from the origin.
    nonisolated(nonsending) static func run(
        _ configuration: String = "", _ body: nonisolated(nonsending) (Stage) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let port = try VirtualPort(scratch("gps"))
        let text = "[receivers]\ndiscover = false\npower = \"off\"\n" + configuration
        try await TestDaemon.serve(devices: [port.link], configuration: text, scratch: scratch) { daemon in
            try await withModule(at: daemon.socket, answerTimeout: 20) {
                let stage = Stage(daemon, port)
                try stage.move(to: away)
                try await body(stage)
            }
        }
    }

    func send(_ count: Int = 3) throws { try port.send(places.next(count)) }

    /// Moves the receiver, and sends epochs until the daemon has its position.
    func move(to place: Places.Place) throws {
        places.move(to: place)
        try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix", "hasFix")
        try send()
        try daemon.waitForReceiver("hasFix")
    }

    /// Moves the receiver while the daemon is down.
    func restart(at place: Places.Place) throws {
        daemon.kill()
        places.move(to: place)
        try daemon.startAgain()
        try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix", "hasFix")
        try send()
        try daemon.waitForReceiver("hasFix")
    }

    @discardableResult
    nonisolated(nonsending) func call(
        _ method: String, _ parameters: [String: JSONValue] = [:]
    ) async throws -> [String: JSONValue] {
        try await DaemonConnection.transport.call("io.sextant.\(method)", parameters)
    }

    /// Decides about this program.
    nonisolated(nonsending) func grant(_ choice: String, accuracy: String = "full") async throws {
        let permission = try await call("Session.GetAuthorization")["permission"]
        let program = try #require(permission?["program"])
        try await call(
            "Permission.Set",
            ["program": program, "authorization": .string(choice), "accuracy": .string(accuracy)])
    }
}

func circle(_ place: Places.Place = Places.origin, radius: Double = 200) -> CLMonitor.CircularGeographicCondition {
    CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude), radius: radius)
}
