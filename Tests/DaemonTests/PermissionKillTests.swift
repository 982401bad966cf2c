import Chronology
import Glibc
import SQLite
import StateStore
import TestSupport
import Testing
import Varlink
import VarlinkClient

extension WholeDaemon {
    /// Tests that decisions, answers of agents, leases and the switch are kept whenever the daemon
    /// is killed.
    @Suite struct PermissionKills {
        /// The number of kills; `make kill-test` uses 200.
        private static let count = getenv("SEXTANT_KILLS").flatMap { Int(String(cString: $0)) } ?? 20
        /// The seed of the random numbers; `SEXTANT_SEED` repeats the choices of an earlier run.
        private static let seed =
            getenv("SEXTANT_SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 0...UInt64(UInt32.max))

        @Test(.needsAdministrator)
        func `a killed daemon neither loses nor invents decisions`() throws {
            let configuration = "[receivers]\ndiscover = false\n[permissions]\ndefault = \"ask\"\n"
            try TestDaemon.run(configuration: configuration) { daemon in
                print("SEXTANT_SEED=\(PermissionKills.seed)")
                var loop = PermissionKillLoop(daemon, seed: PermissionKills.seed)
                for _ in 0..<PermissionKills.count { try loop.live() }
                #expect(loop.confirmed >= PermissionKills.count && loop.answers > 0 && loop.leases > 0)
                print(
                    "\(PermissionKills.count) kills: \(loop.confirmed) changes confirmed, \(loop.answers) answers,",
                    "\(loop.leases) leases")
            }
        }
    }
}

/// A client that changes permissions until the daemon is killed, and compares what is stored then.
private struct PermissionKillLoop {
    /// What is stored about permissions.
    private struct State: Equatable {
        var decisions: [String: String] = [:]
        var isOn = true
        var holdsLease = false
    }

    private static let own = "0"
    private static let others = ["998:navigator.service", "1000", "1000:user:app-org.example.Map.service"]

    private let daemon: TestDaemon
    private var random: SeededGenerator
    /// What the daemon has confirmed.
    private var state = State()
    /// What is stored if the change without a reply was made.
    private var next: State?
    private(set) var confirmed = 0
    /// The number of changes after which the daemon is killed, and the delay then in seconds.
    private var killAt = 0
    private var killDelay = 0.0
    private var killer: ChildProcess?
    private(set) var answers = 0
    private(set) var leases = 0

    init(_ daemon: TestDaemon, seed: UInt64) {
        self.daemon = daemon
        random = SeededGenerator(seed: seed)
    }

    /// Runs the daemon once, kills it at a random time after some changes, and judges what is
    /// stored.
    mutating func live() throws {
        if !daemon.process.isRunning { try daemon.startAgain() }
        killAt = confirmed + Int.random(in: 1...10, using: &random)
        killDelay = Double.random(in: 0..<0.01, using: &random)
        do { try act() } catch ClientError.failed(let method, let error) {
            // The request may be withdrawn before this client knows.
            guard error.name.hasSuffix(".NoSuchRequest") else {
                throw TestFailure("\(method) failed while the daemon ran: \(error)")
            }
        } catch {
            // The daemon was killed.
        }
        daemon.kill()
        let stored = try stored()
        #expect(
            stored == state || stored == next, "stored \(stored), confirmed \(state), last \(String(describing: next))")
        (state, next) = (stored, nil)
        // The grace period of a lease is not over: the next daemon continues it.
    }

    /// Changes permissions until the daemon ends.
    private mutating func act() throws {
        let client = try daemon.connect()
        let agent = try RawClient(daemon.socket)
        agent.send("{\"method\":\"io.sextant.Agent.Serve\",\"more\":true}\0")
        _ = try agent.next()
        let stream = try RawClient(daemon.socket)
        stream.send("{\"method\":\"io.sextant.Location.Subscribe\",\"more\":true}\0")
        while true {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: try set(client)
            case 2: try remove(client, program())
            case 3: try useSwitch(client)
            case 4: try answer(client, agent)
            default: try keepActive()
            }
        }
    }

    /// Counts a change that the daemon has confirmed, and kills the daemon soon after enough of
    /// them, while the next ones are made.
    private mutating func confirm() throws {
        confirmed += 1
        guard confirmed == killAt else { return }
        killer = try ChildProcess(
            ["sh", "-c", "sleep \(killDelay); kill -9 \(daemon.process.id)"], record: daemon.scratch("killer.log"))
    }

    private mutating func program() -> String {
        ([PermissionKillLoop.own] + PermissionKillLoop.others).randomElement(using: &random) ?? PermissionKillLoop.own
    }

    private mutating func change(_ make: (inout State) -> Void, _ call: () throws -> Void) throws {
        var changed = state
        make(&changed)
        next = changed
        try call()
        (state, next) = (changed, nil)
        try confirm()
    }

    private mutating func set(_ client: CheckedClient) throws {
        let program = program()
        let choice = ["denied", "whenInUse", "always"].randomElement(using: &random) ?? "always"
        try change { state in
            state.decisions[program] = choice
            if program == PermissionKillLoop.own, choice == "denied" { state.holdsLease = false }
        } _: {
            try client.call(
                "io.sextant.Permission.Set", ["program": .string(program), "authorization": .string(choice)])
        }
    }

    private mutating func remove(_ client: CheckedClient, _ program: String) throws {
        try change { state in
            state.decisions[program] = nil
            if program == PermissionKillLoop.own { state.holdsLease = false }
        } _: {
            try client.call("io.sextant.Permission.Remove", ["program": .string(program)])
        }
    }

    private mutating func useSwitch(_ client: CheckedClient) throws {
        let isOn = Bool.random(using: &random)
        try change {
            $0.isOn = isOn
        } _: {
            try client.call("io.sextant.Permission.SetEnabled", ["enabled": .bool(isOn)])
        }
    }

    /// Answers the last request about the program of this test, if one is open.
    private mutating func answer(_ client: CheckedClient, _ agent: RawClient) throws {
        guard let number = try openRequest(agent, within: .milliseconds(5)) else {
            // The program is asked about once nothing decides about it.
            try remove(client, PermissionKillLoop.own)
            guard let number = try openRequest(agent, within: .milliseconds(100)) else { return }
            return try answer(client, number)
        }
        try answer(client, number)
    }

    /// Reads the messages of an agent, and returns the request that is open.
    private func openRequest(_ agent: RawClient, within span: Duration) throws -> JSONValue? {
        var number: JSONValue?
        while agent.hasMessage || waitReadable(agent.descriptor, within: number == nil ? span : .milliseconds(5)) {
            guard let parameters = try agent.next()?.parameters else { throw TestFailure("the daemon has ended") }
            if let withdrawn = parameters["withdrawn"], withdrawn == number { number = .none }
            if let request = parameters["request"] { number = request["number"] }
        }
        return number
    }

    private mutating func answer(_ client: CheckedClient, _ number: JSONValue) throws {
        let choice = Bool.random(using: &random) ? "always" : "denied"
        try change { state in
            state.decisions[PermissionKillLoop.own] = choice
            if choice == "denied" { state.holdsLease = false }
        } _: {
            try client.call("io.sextant.Agent.Answer", ["number": number, "authorization": .string(choice)])
        }
        answers += 1
    }

    /// Begins a lease, which outlives its connection.
    private mutating func keepActive() throws {
        var changed = state
        changed.holdsLease = true
        next = changed
        let lease = try RawClient(daemon.socket)
        lease.send("{\"method\":\"io.sextant.Session.KeepActive\",\"more\":true}\0")
        guard let reply = try lease.next() else { throw TestFailure("the daemon has ended") }
        next = nil
        guard reply.parameters["held"] == true else { return }
        state = changed
        leases += 1
        try confirm()
    }

    private func stored() throws -> State {
        var state = State()
        let path = daemon.scratch("state/sextant.db")
        guard access(path, F_OK) == 0 else { return state }
        let open = try DatabaseFile(path: path).open(at: UTCTime(milliseconds: 0)).database
        for row in try open.permissions() { state.decisions[row.program] = row.authorization }
        state.isOn = try open.deviceValue("location")?.bytes != [0]
        state.holdsLease = try open.leases().contains { $0.program == PermissionKillLoop.own }
        return state
    }
}
