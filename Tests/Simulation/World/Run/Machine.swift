import CLinux
import Chronology
import Glibc
import SimulatedMachine

/// The simulated machine on which the daemon runs: its memory, which the daemon's library shares,
/// and its disk, a folder.
final class Machine {
    /// What the simulation needs from outside.
    struct Paths {
        /// The daemon.
        var program: String
        /// The library that answers its system calls.
        var library: String
        /// A folder for the disks of machines, in memory at best.
        var scratch: String
    }

    /// Why the daemon does not run.
    enum End: Equatable {
        case exited(status: Int32)
        /// A fault killed it.
        case killed
        /// A fault cut the power of the machine.
        case powerFailed
        /// It crashed by itself, or made a call that is not simulated.
        case crashed(String)
    }

    private let memory: UnsafeMutablePointer<machine>
    /// The memory, for the other parts of this type.
    var pointer: UnsafeMutablePointer<machine> { memory }
    let paths: Paths
    /// The folder of this machine.
    let folder: String
    /// The folder that is the machine's root directory.
    let root: String
    var memoryFile: String { "\(folder)/memory" }

    /// Builds a machine with an empty disk.
    init(_ paths: Paths, name: String, seed: UInt64) throws(RunFailure) {
        self.paths = paths
        folder = "\(paths.scratch)/\(name)"
        root = "\(folder)/root"
        FileTree.remove(folder)
        for path in Machine.folders {
            guard FileTree.makeFolders(root + path) else { throw RunFailure("\(root)\(path) cannot be created") }
        }
        guard let memory = machine_create("\(folder)/memory", seed) else {
            throw RunFailure("\(folder)/memory cannot be mapped: error \(errno)")
        }
        self.memory = memory
    }

    deinit {
        for index in 0..<Int32(MACHINE_PROCESSES) { machine_kill(memory, index) }
        machine_unmap(memory)
        FileTree.remove(folder)
    }

    private static let folders = [
        "/run/sextant", "/run/udev", "/run/systemd", "/var/lib/sextant", "/etc/sextant/conf.d", "/dev", "/proc", "/sys",
        "/tmp",
    ]

    private static let wrongLibrary: Int32 = 125 << 8

    /// The index of the daemon among the processes.
    static let daemon: Int32 = 0

    // MARK: Time

    /// The time since the machine was switched on.
    var now: Instant { Instant(nanoseconds: memory.pointee.now) }

    /// Lets time pass until `now`.
    func advance(to now: Instant) { memory.pointee.now = max(memory.pointee.now, now.nanoseconds) }

    /// UTC by the machine's clock when `now` was 0, in nanoseconds.
    var clockOffset: Int64 {
        get { memory.pointee.realtime_offset }
        set {
            memory.pointee.realtime_offset = newValue
            memory.pointee.clock_steps += 1
            machine_clocks_changed(memory)
        }
    }

    /// How long the machine was suspended, in nanoseconds.
    var suspended: Int64 {
        get { memory.pointee.boottime_offset }
        set {
            memory.pointee.boottime_offset = newValue
            machine_clocks_changed(memory)
        }
    }

    /// The hash of all system calls with their results.
    var hash: UInt64 { memory.pointee.hash }

    // MARK: The daemon

    private var process: UnsafeMutablePointer<machine_process> { machine_process_at(memory, Machine.daemon) }

    /// Whether the daemon runs.
    var isRunning: Bool {
        process.pointee.state == Int32(MACHINE_PROCESS_RUNNING.rawValue)
            || process.pointee.state == Int32(MACHINE_PROCESS_WAITING.rawValue)
    }

    /// When the daemon wakes without input; nil if never.
    var wakeTime: Instant? {
        isRunning && process.pointee.deadline != Int64.max ? Instant(nanoseconds: process.pointee.deadline) : nil
    }

    /// Until when a program may go on alone while it sends nothing.
    var deadline: Instant {
        get { Instant(nanoseconds: memory.pointee.world_deadline) }
        set { memory.pointee.world_deadline = newValue.nanoseconds }
    }

    /// Whether the daemon has something to do now.
    var isReady: Bool {
        process.pointee.state == Int32(MACHINE_PROCESS_RUNNING.rawValue) || machine_is_ready(memory, Machine.daemon)
    }

    /// How often the daemon slept and woke since its start.
    var wakeups: UInt64 { process.pointee.wakeups }

    /// How often the daemon woke because of time alone and of lines, and how often without work.
    var wakeupsByCause: (time: UInt64, lines: UInt64, idle: UInt64) {
        let counts = process.pointee
        return (counts.wakeups_by.0, counts.wakeups_by.1, counts.idle_wakeups)
    }

    /// Whether the world has a turn after each wait of the daemon, also if events are ready.
    var yieldsEachWait: Bool {
        get { process.pointee.yield_after != 0 }
        set { process.pointee.yield_after = newValue ? 1 : 0 }
    }

    /// The bytes of the daemon's heap in use when it slept last; see ``measuresHeap``.
    var heap: UInt64 { process.pointee.heap }

    /// Whether the heap is measured each time the daemon sleeps.
    var measuresHeap: Bool {
        get { process.pointee.wants_heap != 0 }
        set { process.pointee.wants_heap = newValue ? 1 : 0 }
    }

    /// How many descriptors the daemon can have open.
    var descriptorLimit: Int32 {
        get { process.pointee.descriptor_limit }
        set { process.pointee.descriptor_limit = newValue }
    }

    /// How many descriptors the daemon has open.
    var descriptors: Int32 { process.pointee.descriptor_count }

    /// Starts the daemon with the listening socket `listener`.
    func start(listener: Int32, id: Int32, watchdog: Bool) throws(RunFailure) {
        process.pointee.id = id
        process.pointee.user = 990
        process.pointee.group = 990
        process.pointee.passed_count = 1
        process.pointee.passed.0 = listener
        var environment = ["PATH=/usr/bin", "TZ=UTC", "NOTIFY_SOCKET=/run/notify", "SWIFT_BACKTRACE=enable=no"]
        environment += ["SWIFT_DETERMINISTIC_HASHING=1", "JOURNAL_STREAM=1:2", "STATE_DIRECTORY=/var/lib/sextant"]
        if watchdog { environment.append("WATCHDOG_USEC=60000000") }
        let started = Machine.withStrings([paths.program]) { arguments in
            Machine.withStrings(environment) { environment in
                machine_start(
                    memory, Machine.daemon, paths.program, paths.library, memoryFile, root, arguments, environment)
            }
        }
        guard started > 0 else { throw RunFailure("\(paths.program) cannot be started: error \(errno)") }
    }

    static func withStrings<R>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> R) -> R {
        let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies.map { $0.map { UnsafePointer($0) } } + [nil])
    }

    /// Lets the daemon run until it waits. Returns why it ended, or nil.
    func runDaemon() throws(RunFailure) -> End? {
        let state = machine_run(memory, Machine.daemon)
        // The exit status of the library if it was built with another layout of the memory.
        if process.pointee.status == Machine.wrongLibrary {
            throw RunFailure("\(paths.library) and this program are not of the same build")
        }
        switch state {
        case Int32(MACHINE_PROCESS_EXITED.rawValue): return .exited(status: process.pointee.status)
        case Int32(MACHINE_PROCESS_KILLED.rawValue):
            switch process.pointee.end {
            case Int32(MACHINE_END_KILL.rawValue): return .killed
            case Int32(MACHINE_END_POWER.rawValue): return .powerFailed
            case Int32(MACHINE_END_UNEXPECTED.rawValue): return .crashed(message)
            default: return .crashed("status \(process.pointee.status)\(output)")
            }
        default: return nil
        }
    }

    /// The end of what the daemon has written to its standard output.
    private var output: String {
        let bytes = FileTree.bytes(of: "\(root)/output.txt") ?? []
        return bytes.isEmpty ? "" : ": \(String(decoding: bytes.suffix(600), as: UTF8.self))"
    }

    private var message: String {
        machine_message(memory, Machine.daemon).map { String(cString: $0) } ?? ""
    }

    /// Kills the daemon where it waits.
    func killDaemon() {
        if isRunning { machine_kill(memory, Machine.daemon) }
    }

    /// Sends the daemon a signal.
    func signal(_ number: Int32) { process.pointee.signals |= 1 << UInt64(number - 1) }

    /// The power fails. What is not on disk is lost, or kept at random.
    func cutPower(losesAll: Bool) {
        let cut = losesAll ? MACHINE_CUT_NOTHING_KEPT : MACHINE_CUT_RANDOM
        machine_cut_power(memory, root, Int32(cut.rawValue))
        // The folders in memory are made by the start of the machine.
        for path in Machine.folders { _ = FileTree.makeFolders(root + path) }
    }

    /// Whether a power cut would leave the file at a path of the machine as it is.
    func isDurable(_ path: String) -> Bool { machine_is_durable(memory, root, path) }

    /// The path of the daemon's database, seen from outside.
    var database: String { "\(root)/var/lib/sextant/sextant.db" }

    // MARK: Sockets

    /// Creates the socket that the service manager listens on. Returns its number.
    func listen(at path: String, name: String) throws(RunFailure) -> Int32 {
        let listener = machine_listen(memory, path, name)
        guard listener >= 0 else { throw RunFailure("the machine has no room for the socket \(path)") }
        return listener
    }

    /// Who connects.
    struct Peer {
        var process: Int32
        var user: UInt32
        /// The systemd unit, or an empty string.
        var unit = ""
    }

    /// Connects to a socket. Returns the number of the channel; nil if it refuses.
    func connect(to path: String, as peer: Peer) -> Int32? {
        let channel = machine_connect(memory, path)
        guard channel >= 0, let end = machine_end_at(memory, channel, 0) else { return nil }
        end.pointee.process_id = peer.process
        end.pointee.is_alive = 1
        end.pointee.user = peer.user
        end.pointee.group = peer.user
        end.pointee.group_count = 0
        withUnsafeMutablePointer(to: &end.pointee.unit) {
            machine_set_text(
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self), Int(MACHINE_NAME), peer.unit)
        }
        return channel
    }

    /// Sends bytes to the daemon. Returns how many fit; nil if it has closed the connection.
    func send(_ bytes: UnsafeRawBufferPointer, on channel: Int32) -> Int? {
        let count = machine_send(memory, channel, 0, bytes.baseAddress, bytes.count)
        return count < 0 ? nil : Int(count)
    }

    /// Takes bytes that the daemon has sent; nil at the end of the connection.
    func receive(from channel: Int32, atMost limit: Int) -> [UInt8]? {
        var isOver = false
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let got = machine_receive(memory, channel, 0, buffer.baseAddress, limit)
            isOver = got < 0
            count = max(0, Int(got))
        }
        return isOver ? nil : bytes
    }

    /// Whether the daemon has sent bytes that were not taken, or has closed the connection.
    func hasInput(from channel: Int32) -> Bool {
        machine_ring_to(memory, channel, 0).pointee.count > 0
            || machine_end_at(memory, channel, 1).pointee.references == 0
    }

    /// The bytes that fit on the way to the program of a channel.
    func setCapacity(_ bytes: Int, of channel: Int32) {
        machine_ring_to(memory, channel, 0).pointee.capacity = UInt32(bytes)
    }

    /// Ends the program's side of a connection: no more calls follow.
    func shutWrite(_ channel: Int32) { machine_shut_write(memory, channel, 0) }

    /// Closes the program's end of a connection.
    func close(_ channel: Int32) { machine_close(memory, channel, 0) }

    /// Whether the process of a connection lives.
    func setAlive(_ isAlive: Bool, _ channel: Int32) {
        machine_end_at(memory, channel, 0).pointee.is_alive = isAlive ? 1 : 0
    }
}
