import Glibc
import TestSupport
import Testing
import Varlink

extension WholeDaemon {
    /// Tests that the guarantees for events hold whenever the daemon is killed.
    @Suite struct Kills {
        /// The number of kills; `make kill-test` uses 200.
        private static let count = getenv("SEXTANT_KILLS").flatMap { Int(String(cString: $0)) } ?? 20
        /// The seed of the random numbers; `SEXTANT_SEED` repeats the choices of an earlier run.
        private static let seed =
            getenv("SEXTANT_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))

        @Test func `a killed daemon neither loses nor invents events`() throws {
            let text = "[receivers]\ndiscover = false\npower = \"off\"\n"
            try TestDaemon.runWithPort(configuration: text) { daemon, port in
                print("SEXTANT_SEED=\(Kills.seed)")
                var loop = try KillLoop(daemon, port, seed: Kills.seed)
                let time = try seconds {
                    for _ in 0..<Kills.count { try loop.live() }
                    try loop.settle()
                }
                try loop.judge()
                // Without moves and acknowledgements the loop tests nothing.
                #expect(loop.moves >= Kills.count / 10 && !loop.acknowledged.isEmpty, "\(loop.summary)")
                print("\(Kills.count) kills in \(time) s: \(loop.summary)")
            }
        }
    }
}

/// A receiver that changes its place between daemon runs, fences around these places, and a client
/// that sometimes acknowledges.
private struct KillLoop {
    private static let monitor = "m"
    /// The possible places, in metres to the east, and the circles with centre and radius. A name
    /// lists the places inside.
    private static let stops = [0.0, 3000, 6000, 9000]
    private static let fences: [(name: String, center: Double, radius: Double)] = [
        ("a", 0, 1000), ("ab", 1500, 2500), ("b", 3000, 1000), ("bc", 4500, 2500), ("c", 6000, 1000),
        ("cd", 7500, 2500), ("d", 9000, 1000),
        ("all", 4500, 50_000),
    ]

    private let daemon: TestDaemon
    private let port: VirtualPort
    private var places = Places()
    private var random: SeededGenerator
    private var stop = 0
    /// The expected event kinds of each fence, in order.
    private var truth: [String: [String]] = [:]
    /// The received events by number, and the numbers whose acknowledgement was confirmed.
    private var received: [Int: MonitorEvent] = [:]
    private(set) var acknowledged: Set<Int> = []
    private(set) var moves = 0
    private var repeated = 0

    init(_ daemon: TestDaemon, _ port: VirtualPort, seed: UInt64) throws {
        (self.daemon, self.port) = (daemon, port)
        random = SeededGenerator(seed: seed)
        let circles = KillLoop.fences.map {
            circle($0.name, at: Places.origin.moved(north: 0, east: $0.center), radius: $0.radius)
        }
        try daemon.connect().call(
            "io.sextant.Monitor.Add", ["name": .string(KillLoop.monitor), "conditions": .array(circles)])
        for fence in KillLoop.fences { truth[fence.name] = ["determined"] }
    }

    var summary: String {
        "\(moves) moves, \(received.count) events, \(repeated) sent again, "
            + "\(acknowledged.count) acknowledgements confirmed"
    }

    /// Runs the daemon once and kills it at a random time.
    mutating func live() throws {
        if !daemon.process.isRunning { try daemon.startAgain() }
        let delay = Double.random(in: 0..<0.25, using: &random)
        let killer = try ChildProcess(
            ["sh", "-c", "sleep \(delay); kill -9 \(daemon.process.id)"], record: daemon.scratch("killer.log"))
        var isDecided = false
        do { isDecided = try act() } catch let error as TestFailure where error.description.hasPrefix("event") {
            throw error
        } catch {}
        _ = try killer.waitForEnd()
        daemon.kill()
        if isDecided { move() }
    }

    /// Restarts the daemon and acknowledges all remaining events.
    mutating func settle() throws {
        try daemon.startAgain()
        try sendEpochs()
        let client = try daemon.connect()
        try waitUntil("all fences to be decided") { try isDecided(client) }
        let stream = try daemon.connect().open(KillLoop.monitor)
        while try pending(client) > 0 {
            let event = try stream.next()
            try take(event)
            if try client.acknowledge([event.id], of: KillLoop.monitor) == 1 { acknowledged.insert(event.id) }
        }
        try port.send(places.next(3))
        #expect(!waitReadable(stream.descriptor, within: .milliseconds(300)), "an event is sent that has not happened")
        #expect(try pending(client) == 0)
    }

    private func pending(_ client: CheckedClient) throws -> Int {
        let monitors = try client.call("io.sextant.Monitor.ListMonitors")["monitors"]?.array
        return Int(monitors?.first?["pending"]?.int ?? -1)
    }

    /// Checks that the received events match the true crossings in order.
    func judge() throws {
        for fence in KillLoop.fences {
            let events = received.values.filter { $0.identifier == fence.name }.sorted { $0.id < $1.id }
            #expect(events.map(\.kind) == truth[fence.name], "\(fence.name): \(events)")
            #expect(events.allSatisfy { $0.folded == 0 })
        }
    }

    private mutating func act() throws -> Bool {
        try sendEpochs()
        let client = try daemon.connect()
        // In one of four runs no client opens the monitor.
        if Int.random(in: 0..<4, using: &random) > 0 {
            let stream = try daemon.connect().open(KillLoop.monitor)
            while waitReadable(stream.descriptor, within: .milliseconds(Int64.random(in: 5...40, using: &random))) {
                while let event = try stream.present() {
                    try take(event)
                    guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
                    if try client.acknowledge([event.id], of: KillLoop.monitor) == 1 { acknowledged.insert(event.id) }
                }
            }
        }
        return try isDecided(client)
    }

    private mutating func sendEpochs() throws {
        try daemon.waitForReceiver("detectingBaudRate", "silent", "sendingWithoutFix", "hasFix")
        places.move(to: Places.origin.moved(north: 0, east: KillLoop.stops[stop]))
        try port.send(places.next(3))
    }

    private mutating func take(_ event: MonitorEvent) throws {
        if let known = received[event.id] {
            repeated += 1
            guard known == event else { throw TestFailure("event \(event) was sent as \(known) before") }
            guard !acknowledged.contains(event.id) else { throw TestFailure("event \(event) was acknowledged") }
        }
        received[event.id] = event
    }

    /// Whether the daemon has determined the state of every fence.
    private func isDecided(_ client: CheckedClient) throws -> Bool {
        let records =
            try client.call("io.sextant.Monitor.List", ["name": .string(KillLoop.monitor)])["records"]?.array ?? []
        return KillLoop.fences.allSatisfy { fence in
            let record = records.first { $0["condition"]?["identifier"]?.string == fence.name }
            return record?["state"]?.string == (KillLoop.isInside(fence.name, stop) ? "satisfied" : "unsatisfied")
        }
    }

    private mutating func move() {
        let next = (stop + Int.random(in: 1..<KillLoop.stops.count, using: &random)) % KillLoop.stops.count
        for fence in KillLoop.fences where KillLoop.isInside(fence.name, stop) != KillLoop.isInside(fence.name, next) {
            truth[fence.name]?.append(KillLoop.isInside(fence.name, next) ? "entered" : "left")
        }
        stop = next
        moves += 1
    }

    private static func isInside(_ name: String, _ stop: Int) -> Bool {
        KillLoop.fences.contains { $0.name == name && abs($0.center - KillLoop.stops[stop]) < $0.radius }
    }
}
