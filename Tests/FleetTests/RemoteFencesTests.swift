import Chronology
import DaemonLink
import DaemonSupport
import Fleet
import FleetStore
import Geodesy
import Systemd
import TestSupport
import Testing
import Varlink

@testable import sextant_fleet

/// The fences of servers, with a daemon that answers late, not at all, or is killed.
@Suite struct RemoteFencesTests {
    private let scratch: Scratch
    private let loop: EventLoop
    private let service: FakeService
    private let calls: DaemonCalls

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        service = try FakeService(at: scratch("io.sextant"))
        calls = DaemonCalls(of: service.path, in: loop)
    }

    private func fences(_ problems: Problems = Problems()) throws -> RemoteFences {
        let store = try RemoteFenceStore(path: scratch("fences.db"), hostTime: UTCTime(milliseconds: 0))
        return try RemoteFences(store, calls: calls) { problems.all.append($0) }
    }

    private final class Problems { var all: [String] = [] }

    private func change(_ identifiers: [String], replaces: Bool = false) throws -> RemoteFenceChange {
        let waypoints = identifiers.map { name -> JSONValue in
            ["desc": .string(name), "lat": 1, "lon": 2, "rad": 50, "tst": 7]
        }
        let value: JSONValue = ["waypoints": .array(waypoints), "replace": .bool(replaces)]
        return try #require(RemoteFenceChange(value))
    }

    /// Answers one call, and returns its method with the identifiers of its conditions.
    private func answer(_ connection: FakeService.Connection, error: String? = nil) async throws -> String {
        let call = try await connection.call()
        let conditions = call.parameters["conditions"]?.array?.compactMap { $0["identifier"]?.string }
        let names = conditions ?? call.parameters["identifiers"]?.array?.compactMap(\.string) ?? []
        let reply: Reply =
            if let error {
                Reply(error: VarlinkError(name: error))
            } else {
                Reply(parameters: ["added": 0, "replaced": 0, "unmonitored": [], "removed": 0])
            }
        try await connection.send(reply)
        return "\(call.method.split(separator: ".").last ?? "") \(names.joined(separator: ","))"
    }

    @Test func `a change is stored when the daemon has answered all of it`() async throws {
        let fences = try fences()
        var results: [String?] = []
        fences.apply(try change(["a", "b"])) { results.append($0) }
        fences.apply(try change(["b", "c"], replaces: true)) { results.append($0) }
        #expect(results.isEmpty && fences.current.isEmpty)
        // Its first event may come before the answer.
        #expect(fences.created("a") == 7)
        let daemon = try await service.accept()
        #expect(try await answer(daemon) == "Add a,b")
        try loop.run(until: { results.count == 1 })
        #expect(fences.current.map(\.identifier) == ["a", "b"])
        #expect(try await answer(daemon) == "Add b,c")
        try loop.run(until: { daemon.isReadable })
        #expect(try await answer(daemon) == "Remove a")
        try loop.run(until: { results.count == 2 })
        #expect(results == [nil, nil] && fences.current.map(\.identifier) == ["b", "c"])
        #expect(fences.created("b") == 7 && fences.created("a") == nil)
    }

    @Test func `a change that a kill interrupts is undone when the monitor is open again`() async throws {
        do {
            let fences = try fences()
            var results: [String?] = []
            fences.apply(try change(["a"])) { results.append($0) }
            let daemon = try await service.accept()
            _ = try await answer(daemon)
            try loop.run(until: { results.count == 1 })
            // The daemon gets the change, and the process is killed before the answer.
            fences.apply(try change(["a", "b"])) { results.append($0) }
            #expect(try await answer(daemon) == "Add a,b")
        }
        let calls = DaemonCalls(of: service.path, in: loop)
        let store = try RemoteFenceStore(path: scratch("fences.db"), hostTime: UTCTime(milliseconds: 0))
        #expect(try store.unfinished() == ["a", "b"])
        let fences = try RemoteFences(store, calls: calls) { Issue.record("\($0)") }
        fences.restore()
        let daemon = try await service.accept()
        #expect(try await answer(daemon) == "Remove b")
        try loop.run(until: { daemon.isReadable })
        #expect(try await answer(daemon) == "Add a")
        try loop.run(until: { ((try? store.unfinished()) ?? ["?"]).isEmpty })
        #expect(fences.current.map(\.identifier) == ["a"])
    }

    @Test func `without a daemon, a change is refused and the fences are restored later`() async throws {
        let problems = Problems()
        let fences = try fences(problems)
        var results: [String?] = []
        fences.apply(try change(["a"])) { results.append($0) }
        let daemon = try await service.accept()
        _ = try await answer(daemon)
        try loop.run(until: { results.count == 1 })
        service.stop()
        calls.tick(at: .zero)
        // The daemon does not answer: its time ends.
        fences.apply(try change(["b"])) { results.append($0) }
        calls.tick(at: try #require(calls.deadline))
        #expect(results.count == 2 && results.last.flatMap(\.self)?.contains("no answer in time") == true)
        let retry = try #require(fences.deadline)
        #expect(problems.all.count == 1)
        try service.start()
        fences.tick(at: retry)
        let next = try await service.accept()
        #expect(try await answer(next) == "Remove b")
        try loop.run(until: { next.isReadable })
        #expect(try await answer(next) == "Add a")
        try loop.run(until: { fences.deadline == nil })
        #expect(fences.current.map(\.identifier) == ["a"])
    }

    @Test func `fences that the daemon refuses are removed from it again`() async throws {
        let fences = try fences()
        var results: [String?] = []
        fences.apply(try change((0..<150).map { "\($0)" })) { results.append($0) }
        let daemon = try await service.accept()
        _ = try await answer(daemon)
        try loop.run(until: { daemon.isReadable })
        _ = try await answer(daemon, error: "io.sextant.Monitor.TooManyConditions")
        try loop.run(until: { results.count == 1 && daemon.isReadable })
        #expect(results.first.flatMap(\.self)?.contains("TooManyConditions") == true)
        var removed = 0
        for _ in 0..<2 {
            let text = try await answer(daemon)
            #expect(text.hasPrefix("Remove "))
            removed += text.split(separator: ",").count
            if removed < 150 { try loop.run(until: { daemon.isReadable }) }
        }
        #expect(removed == 150 && fences.current.isEmpty)
    }
}
