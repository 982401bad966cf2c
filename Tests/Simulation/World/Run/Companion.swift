import Chronology
import Glibc
import SimulatedMachine

/// Another program of Sextant on the machine of the daemon: a bridge, or the reporting program. It
/// is started, and started again when it ends.
final class Companion: Actor {
    let name: String
    /// Its place among the processes of the machine.
    private let index: Int32
    private let program: String
    private let arguments: [String]
    private let listeners: [Int32]
    private let user: UInt32
    private let mayExit: Bool
    private var random: RandomStream
    private var startTime: Instant? = .zero
    private var killTime: Instant?
    private var nextID: Int32
    private let kills: Bool
    /// When it was started last.
    private(set) var startedAt = Instant.zero
    /// When it ended last.
    private(set) var endedAt = Instant.zero

    /// - Parameter listeners: The numbers of the listening sockets that it gets.
    init(
        _ name: String, _ program: String, index: Int32, _ arguments: [String], listeners: [Int32], user: UInt32,
        mayExit: Bool = false,
        _ plan: RunPlan
    ) {
        (self.name, self.program) = (name, program)
        self.index = index
        (self.arguments, self.listeners) = (arguments, listeners)
        (self.user, self.mayExit) = (user, mayExit)
        nextID = 10_000 * index
        random = RandomStream(seed: plan.seed, purpose: name)
        kills = plan.has(.kills)
    }

    var deadline: Instant? { earliest(startTime, killTime) }

    func act(in world: World) {
        if let startTime, startTime <= world.now { start(in: world) }
        guard let killTime, killTime <= world.now else { return }
        self.killTime = nil
        guard world.machine.isRunning(index), !world.faultsHaveEnded else { return }
        world.trace.add(world.now, name, "is killed")
        world.machine.kill(index)
        endedAt = world.now
        startTime = world.now + random.span(0.1..<5)
    }

    private func start(in world: World) {
        startTime = nil
        nextID += 1
        startedAt = world.now
        world.trace.add(world.now, name, "starts")
        do throws(RunFailure) {
            try world.machine.start(index, program, arguments, listeners: listeners, user: user, id: nextID)
        } catch {
            world.report(0, error.description)
        }
        if kills, !world.faultsHaveEnded { killTime = world.now + random.span(20..<4000) }
    }

    /// Whether it runs.
    func runs(in world: World) -> Bool { world.machine.isRunning(index) }

    /// Whether it has something to do now.
    func isReady(in world: World) -> Bool { world.machine.isReady(index) }

    /// When it wakes without input.
    func wakeTime(in world: World) -> Instant? { world.machine.wakeTime(of: index) }

    /// Lets it run until it waits.
    func run(in world: World) {
        guard let end = world.machine.run(index) else { return }
        world.trace.add(world.now, name, "has ended: \(end)")
        endedAt = world.now
        if case .crashed(let reason) = end { world.report(46, "\(name) has crashed: \(reason)") }
        if case .exited(let status) = end {
            world.require(mayExit || status == 0, 46, "\(name) has ended with status \(status)")
        }
        startTime = world.now + random.span(0.1..<5)
    }

    /// The power has failed.
    func powerFailed(in world: World) {
        endedAt = world.now
        world.machine.kill(index)
        startTime = world.now + random.span(5..<60)
    }

    func endFaults(in world: World) { killTime = nil }
}

// Processes besides the daemon.
extension Machine {
    private func process(_ index: Int32) -> UnsafeMutablePointer<machine_process> { machine_process_at(pointer, index) }

    /// Starts a program that lies beside the daemon.
    func start(
        _ index: Int32, _ name: String, _ arguments: [String], listeners: [Int32], user: UInt32, id: Int32
    ) throws(RunFailure) {
        let entry = process(index)
        entry.pointee.id = id
        (entry.pointee.user, entry.pointee.group) = (user, user)
        entry.pointee.passed_count = Int32(listeners.count)
        withUnsafeMutablePointer(to: &entry.pointee.passed) {
            $0.withMemoryRebound(to: Int32.self, capacity: 8) { passed in
                for (place, listener) in listeners.prefix(8).enumerated() { passed[place] = listener }
            }
        }
        let folder = paths.program.lastIndex(of: "/").map { paths.program[...$0] } ?? ""
        let program = "\(folder)\(name)"
        let environment = ["PATH=/usr/bin", "TZ=UTC", "NOTIFY_SOCKET=/run/notify", "JOURNAL_STREAM=1:2"]
        let started = Machine.withStrings([program] + arguments) { arguments in
            Machine.withStrings(environment + ["SWIFT_BACKTRACE=enable=no"]) { environment in
                machine_start(pointer, index, program, paths.library, memoryFile, root, arguments, environment)
            }
        }
        guard started > 0 else { throw RunFailure("\(program) cannot be started: error \(errno)") }
    }

    /// Whether a process runs.
    func isRunning(_ index: Int32) -> Bool {
        let state = process(index).pointee.state
        return state == Int32(MACHINE_PROCESS_RUNNING.rawValue) || state == Int32(MACHINE_PROCESS_WAITING.rawValue)
    }

    /// Whether a process has something to do now.
    func isReady(_ index: Int32) -> Bool { isRunning(index) && machine_is_ready(pointer, index) }

    /// When a process wakes without input; nil if never.
    func wakeTime(of index: Int32) -> Instant? {
        let deadline = process(index).pointee.deadline
        return isRunning(index) && deadline != Int64.max ? Instant(nanoseconds: deadline) : nil
    }

    /// Lets a process run until it waits. Returns why it ended, or nil.
    func run(_ index: Int32) -> End? {
        switch machine_run(pointer, index) {
        case Int32(MACHINE_PROCESS_EXITED.rawValue): return .exited(status: process(index).pointee.status)
        case Int32(MACHINE_PROCESS_KILLED.rawValue):
            switch process(index).pointee.end {
            case Int32(MACHINE_END_KILL.rawValue), Int32(MACHINE_END_POWER.rawValue): return .killed
            default:
                let message = machine_message(pointer, index).map { String(cString: $0) } ?? ""
                return .crashed("status \(process(index).pointee.status) \(message)")
            }
        default: return nil
        }
    }

    /// Kills a process where it waits.
    func kill(_ index: Int32) {
        if isRunning(index) { machine_kill(pointer, index) }
    }

    // MARK: Peers of programs, which have end 1 of connections that were made to them

    /// Takes a connection that a program has made to a listening socket of the world; nil if none
    /// waits.
    func accept(_ listener: Int32) -> Int32? {
        let channel = machine_accept(pointer, listener)
        return channel >= 0 ? channel : nil
    }

    /// Takes a connection that a program has made, and refuses it.
    func refuse(_ listener: Int32) -> Bool {
        guard let channel = accept(listener) else { return false }
        machine_refuse(pointer, channel)
        return true
    }

    /// Whether a program waits for a connection to a listening socket of the world.
    func hasConnection(_ listener: Int32) -> Bool { (machine_listener_at(pointer, listener)?.pointee.count ?? 0) > 0 }

    /// Sends bytes from an end of a connection.
    func send(_ bytes: [UInt8], on channel: Int32, from end: Int32) {
        _ = bytes.withUnsafeBytes { machine_send(pointer, channel, end, $0.baseAddress, $0.count) }
    }

    /// Takes what has arrived at an end; nil at the end of the connection.
    func receive(on channel: Int32, at end: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = machine_receive(pointer, channel, end, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(Int(count)))
    }

    /// Whether something has arrived at an end, or the other one is closed.
    func hasInput(on channel: Int32, at end: Int32) -> Bool {
        machine_ring_to(pointer, channel, end).pointee.count > 0
            || machine_end_at(pointer, channel, 1 - end).pointee.references == 0
    }

    /// Closes an end of a connection.
    func close(_ channel: Int32, end: Int32) { machine_close(pointer, channel, end) }
}
