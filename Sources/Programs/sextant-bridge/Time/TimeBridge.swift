import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SextantAPI
import Synchronization
import SystemCalls
import Varlink

/// The role `time`: requests one location per interval and gives the measured offset to chrony, or
/// to ntpd by its shared memory.
///
/// A location request needs one epoch, so a receiver may sleep between two measurements.
final class TimeBridge {
    /// The interval until the date is confirmed.
    private static let firstInterval = Instant.Span.seconds(1)
    /// The time for the daemon to get a position, in seconds.
    private static let timeout = 30.0

    private let loop: EventLoop
    private let log: ProgramLog
    /// chrony's socket; nil for ntpd alone.
    private let path: String?
    private let memory: SharedMemoryClock?
    private let interval: Instant.Span
    private let socket: FileDescriptor
    private var sampler = TimeSampler()
    private var requests: DaemonStream<GetLocationParameters, RecentLocation>?
    private var nextRequest: Instant
    private var problem = RepeatedProblem()

    /// Creates the bridge; it requests the first location at once.
    ///
    /// - Parameters:
    ///   - path: chrony's socket, or nil.
    ///   - unit: The unit of ntpd's shared memory, or nil.
    init(
        socket daemon: String, chrony path: String?, memoryUnit unit: Int?, interval: Instant.Span, loop: EventLoop,
        log: ProgramLog
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.path = path
        self.interval = interval
        if let unit { memory = try SharedMemoryClock(unit: unit) } else { memory = nil }
        socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_datagram_socket() })
        nextRequest = loop.now
        requests = DaemonStream(LocationMethods.getLocation, of: daemon, in: loop, isInSession: true) {
            [weak self] event in
            self?.finishRequest(event)
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        // Without a timer nothing is measured; a later turn sets it again.
        loop.afterEachIteration = { [unowned self] in try? loop.setDeadline(nextRequest) }
        try loop.setDeadline(nextRequest)
    }

    private func tick(at now: Instant) {
        guard now >= nextRequest else { return }
        nextRequest = now + interval
        // A request that has not ended is over.
        requests?.request(nil)
        requests?.request(
            GetLocationParameters(
                maximumAge: 0, timeout: min(TimeBridge.timeout, interval.seconds), timesBurst: true))
    }

    private func finishRequest(_ event: DaemonStream<GetLocationParameters, RecentLocation>.Event) {
        let clock = HostClock.time
        requests?.request(nil)
        switch event {
        case .lost(let error):
            sampler.reset()
            report("\(error)")
        case .reply(let reply):
            let sample = sampler.sample(
                reply.location, age: reply.age, burstAge: reply.burstAge, seconds: clock.seconds,
                nanoseconds: clock.nanoseconds)
            if let sample {
                send(sample)
            } else if sampler.needsAnother {
                nextRequest = min(nextRequest, loop.now + TimeBridge.firstInterval)
            }
        }
    }

    /// chrony may start later, or again: each measurement is sent to the path.
    private func send(_ sample: TimeSample) {
        memory?.write(sample)
        guard let path else { return }
        let datagram = sample.datagram
        do throws(SystemError) {
            try systemCall("sending to \(path)") {
                linux_unix_send(socket.number, datagram, datagram.count, path, path.utf8.count)
            }
            problem.reset()
        } catch {
            let remedy =
                error.code == EACCES
                ? "; the user of this program needs write permission for the socket, see sextant-bridge(8)"
                : "; chrony needs the line \"refclock SOCK \(path)\""
            report("\(error)\(remedy)")
        }
    }

    /// Logs each problem once.
    private func report(_ reason: String) {
        if problem.shouldLog(reason) { log.write(reason, priority: .warning) }
    }
}

/// A unit of the shared memory from which ntpd and ntpsec read the time (refclock_shm.c, mode 1).
/// The first program creates it and owns it: units 0 and 1 are root's alone.
final class SharedMemoryClock {
    /// The key of unit 0: "NTP0".
    private static let key: key_t = 0x4e54_5030
    /// The size of the structure with times of 64 bits.
    private static let size = 96
    /// The accuracy of a measurement as a power of two, in seconds: 0.125 s.
    private static let precision: Int32 = -3

    /// The places of the fields, with times of 64 bits.
    private enum Field {
        static let mode = 0, count = 4, clockSeconds = 8, clockMicroseconds = 16, receiveSeconds = 24
        static let receiveMicroseconds = 32, leap = 36, precision = 40, samples = 44, valid = 48
        static let clockNanoseconds = 52, receiveNanoseconds = 56
    }

    private let memory: UnsafeMutableRawPointer

    /// The number of the first unit that every user may use.
    private static let firstSharedUnit = 2

    /// Attaches the unit, and creates it if it does not exist. A unit below ``firstSharedUnit`` is
    /// created for its owner alone, as ntpd does, because ntpd trusts it.
    init(unit: Int) throws(SystemError) {
        let operation = "opening unit \(unit) of ntpd's shared memory"
        let key = SharedMemoryClock.key + Int32(clamping: unit)
        let mode: Int32 = unit < SharedMemoryClock.firstSharedUnit ? 0o600 : 0o666
        let identifier = try systemCall(operation) { shmget(key, SharedMemoryClock.size, IPC_CREAT | mode) }
        // shmat returns -1 for an error.
        guard let memory = shmat(identifier, nil, 0), Int(bitPattern: memory) != -1 else {
            throw SystemError(code: errno, operation: operation)
        }
        self.memory = memory
    }

    deinit { shmdt(memory) }

    /// Writes a measurement. The count before and after shows a reader that it was not interrupted.
    func write(_ sample: TimeSample) {
        let received = timespec(tv_sec: Int(clamping: sample.seconds), tv_nsec: Int(clamping: sample.nanoseconds))
        let clock = sample.clock
        store(Int32(0), at: Field.valid)
        store(Int32(1), at: Field.mode)
        advanceCount()
        store(Int64(clock.seconds), at: Field.clockSeconds)
        store(Int32(clamping: clock.nanoseconds / 1000), at: Field.clockMicroseconds)
        store(UInt32(clamping: clock.nanoseconds), at: Field.clockNanoseconds)
        store(Int64(received.tv_sec), at: Field.receiveSeconds)
        store(Int32(clamping: received.tv_nsec / 1000), at: Field.receiveMicroseconds)
        store(UInt32(clamping: received.tv_nsec), at: Field.receiveNanoseconds)
        store(Int32(0), at: Field.leap)
        store(SharedMemoryClock.precision, at: Field.precision)
        store(Int32(0), at: Field.samples)
        advanceCount()
        store(Int32(1), at: Field.valid)
    }

    private func advanceCount() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let count = memory.load(fromByteOffset: Field.count, as: UInt32.self)
        store(count == .max ? 0 : count + 1, at: Field.count)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    private func store(_ value: some BitwiseCopyable, at offset: Int) {
        memory.storeBytes(of: value, toByteOffset: offset, as: type(of: value))
    }
}
