import Chronology
import Geodesy
import ServiceRuntime
import TestSupport
import Testing
import Varlink

@testable import Fleet

/// The fences of servers, with a daemon that answers late, not at all, or is away.
@Suite struct RemoteFencesTests {
    private final class Results {
        var all: [String?] = []
        var problems: [String] = []
    }

    private let scratch: Scratch
    private let loop: EventLoop
    private let daemon: StubDaemon
    private let calls: DaemonCalls
    private let results = Results()

    init() throws {
        scratch = try Scratch()
        loop = try EventLoop()
        daemon = try StubDaemon(at: scratch("io.sextant"))
        calls = DaemonCalls(of: daemon.path, in: loop)
    }

    private func store() throws -> RemoteFenceStore {
        try RemoteFenceStore(path: scratch("fences.db"), hostTime: UTCTime(milliseconds: 0))
    }

    private func fences() throws -> RemoteFences {
        try RemoteFences(store(), calls: calls) { [results] in results.problems.append($0) }
    }

    private func apply(_ fences: RemoteFences, _ identifiers: [String], replaces: Bool = false) throws {
        let waypoints = identifiers.map { name -> JSONValue in
            ["desc": .string(name), "lat": 1, "lon": 2, "rad": 50, "tst": 7]
        }
        let value: JSONValue = ["waypoints": .array(waypoints), "replace": .bool(replaces)]
        let change = try #require(RemoteFenceChange(value))
        fences.apply(change) { [results] in results.all.append($0) }
    }

    @Test func `changes are carried out one after another, and stored after the last answer`() throws {
        let fences = try fences()
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    try apply(fences, ["a", "b"])
                    try apply(fences, ["b", "c"], replaces: true)
                    #expect(results.all.isEmpty && fences.current.isEmpty)
                    // Its first event may come before the answer.
                    #expect(fences.created("a") == 7)
                } until: {
                    results.all.count == 2
                }
            ])
        #expect(daemon.calls == ["Add a,b", "Add b,c", "Remove a"])
        #expect(results.all == [nil, nil] && results.problems.isEmpty && daemon.connectionCount == 1)
        #expect(fences.current.map(\.identifier) == ["b", "c"])
        #expect(fences.created("b") == 7 && fences.created("a") == nil)
    }

    @Test func `a change that a kill interrupts is undone when the monitor is open again`() throws {
        let center = try #require(Coordinate(latitude: 1, longitude: 2))
        do {
            // The process is killed between the steps.
            let store = try store()
            try store.finish([RemoteFence("a", created: 7, center: center, radius: 50)])
            try store.begin(["a", "b"])
        }
        let store = try store()
        let fences = try RemoteFences(store, calls: calls) { Issue.record("\($0)") }
        #expect(fences.isUndone("b") && !fences.isUndone("a") && !fences.isUndone("other"))
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    fences.restore()
                } until: {
                    try store.unfinished().isEmpty
                }
            ])
        #expect(daemon.calls == ["Remove b", "Add a"])
        #expect(fences.current.map(\.identifier) == ["a"])
    }

    @Test func `a change without an answer is refused, and undone when the daemon answers`() throws {
        let fences = try fences()
        let answer = daemon.answer
        try daemon.run(
            loop, tick: { _ in },
            [
                StubDaemon.Phase {
                    try apply(fences, ["a"])
                } until: {
                    results.all.count == 1
                },
                StubDaemon.Phase {
                    daemon.answer = { _ in nil }
                    try apply(fences, ["b"])
                } until: {
                    daemon.calls.count == 2
                },
                StubDaemon.Phase {
                    #expect(results.all.count == 1)
                    // The time of the call ends, and that of the attempt to undo it.
                    for _ in 0..<2 { calls.tick(at: try #require(calls.deadline)) }
                    #expect(results.all.count == 2 && results.problems.count == 1)
                    daemon.answer = answer
                    fences.tick(at: try #require(fences.deadline))
                } until: {
                    daemon.calls.suffix(2) == ["Remove b", "Add a"]
                },
            ])
        #expect(results.all.last.flatMap(\.self)?.contains("no answer in time") == true)
        #expect(fences.current.map(\.identifier) == ["a"] && fences.deadline == nil)
    }

    @Test func `without a daemon, fences are restored later`() throws {
        try store().finish([
            RemoteFence("a", created: 7, center: try #require(Coordinate(latitude: 1, longitude: 2)), radius: 5)
        ])
        let fences = try fences()
        daemon.stop()
        fences.restore()
        #expect(results.problems.count == 1)
        try daemon.start()
        let retry = try #require(fences.deadline)
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    fences.tick(at: retry)
                } until: {
                    daemon.calls == ["Add a"]
                }
            ])
        #expect(fences.deadline == nil && results.problems.count == 1)
    }

    @Test func `a change that the daemon refuses in part leaves nothing in it`() throws {
        let fences = try fences()
        let answer = daemon.answer
        daemon.answer = { [unowned daemon] call in
            daemon.calls.count == 2
                ? Reply(error: VarlinkError(name: "io.sextant.Monitor.TooManyConditions")) : answer(call)
        }
        try daemon.run(
            loop,
            [
                StubDaemon.Phase {
                    try apply(fences, (0..<150).map { "\($0)" })
                } until: {
                    results.all.count == 1 && daemon.calls.count == 4
                }
            ])
        #expect(results.all.first.flatMap(\.self)?.contains("TooManyConditions") == true)
        #expect(daemon.calls[2...].allSatisfy { $0.hasPrefix("Remove ") })
        #expect(daemon.calls[2...].map { $0.split(separator: ",").count }.reduce(0, +) == 150)
        #expect(fences.current.isEmpty)
    }
}
