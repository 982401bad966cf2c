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
/// to ntpd by its shared memory. The delay of the receiver is learned while something else
/// disciplines the clock, and is added to each measurement.
///
/// A location request needs one epoch, so a receiver may sleep between two measurements. Each
/// measurement asks for the receivers once: another one may have the same name.
final class TimeBridge {
    /// What gets the measurements.
    struct Outputs {
        /// chrony's socket; nil for ntpd alone.
        var chrony: String?
        /// The unit of ntpd's shared memory; nil for chrony alone.
        var memoryUnit: Int?
        /// Steps the clock once, instead of all others; the program then ends.
        var step: ClockStep?
    }

    /// The interval until the date is confirmed.
    private static let firstInterval = Instant.Span.seconds(1)
    /// The time for the daemon to get a position, in seconds.
    private static let timeout = 30.0

    private let loop: EventLoop
    private let log: ProgramLog
    private let outputs: Outputs
    private let memory: SharedMemoryClock?
    private let interval: Instant.Span
    private let socket: FileDescriptor
    private let store: DelayStore
    private var sampler = TimeSampler()
    private var requests: DaemonStream<GetLocationParameters, RecentLocation>?
    private let calls: DaemonCalls
    private var nextRequest: Instant
    private var problem = RepeatedProblem()
    private var withheld: WithheldMeasurements

    /// Creates the bridge; it requests the first location at once.
    init(
        socket daemon: String, outputs: Outputs, store: DelayStore, interval: Instant.Span, loop: EventLoop,
        log: ProgramLog
    ) throws(SystemError) {
        self.loop = loop
        self.log = log
        self.outputs = outputs
        self.interval = interval
        self.store = store
        if let unit = outputs.memoryUnit { memory = try SharedMemoryClock(unit: unit) } else { memory = nil }
        socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_datagram_socket() })
        calls = DaemonCalls(of: daemon, in: loop)
        nextRequest = loop.now
        withheld = WithheldMeasurements(at: loop.now)
        requests = DaemonStream(LocationMethods.getLocation, of: daemon, in: loop, isInSession: true) {
            [weak self] event in
            self?.finishRequest(event)
        }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in
            loop.setDeadline(earliest(nextRequest, calls.deadline))
        }
        loop.setDeadline(nextRequest)
    }

    deinit { store.save() }

    private func tick(at now: Instant) {
        calls.tick(at: now)
        guard now >= nextRequest else { return }
        if let step = outputs.step, step.synchronizedError() != nil {
            log.write(ClockStep.synchronizedText)
            return loop.exit(0)
        }
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
            if let reason = reply.location.simulationReason { report(reason) }
            let sample = sampler.sample(
                reply.location, age: reply.age, burstAge: reply.burstAge, seconds: clock.seconds,
                nanoseconds: clock.nanoseconds)
            if let sample {
                use(sample, of: reply.location.receiver)
            } else if sampler.needsAnother {
                nextRequest = min(nextRequest, loop.now + TimeBridge.firstInterval)
            }
        }
    }

    /// Uses a measurement when it is known which receiver it is of.
    private func use(_ sample: TimeSample, of name: String) {
        calls.call(ReceiverMethods.list, with: NoParameters()) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply):
                guard let found = reply.receivers.first(where: { $0.name == name }) else { return }
                use(sample, of: TimedReceiver(found))
            case .failure(let error): report("\(error)")
            }
        }
    }

    private func use(_ sample: TimeSample, of receiver: TimedReceiver) {
        let delay = store.delays.delay(of: receiver, for: sample.moment)
        if let step = outputs.step { return stepClock(step, by: sample.corrected(by: delay), delay) }
        // Afterwards the clock may follow this program alone, which the kernel does not tell.
        if memory?.isWritten != true {
            let isLearned = store.learn(sample, of: receiver, clockError: HostClock.settledError, at: loop.now)
            if memory != nil, withheld.withholds(isLearned, delay, at: loop.now) { return }
        }
        send(sample.corrected(by: delay), delay)
    }

    private func stepClock(_ step: ClockStep, by sample: TimeSample, _ delay: ByteDelay) {
        do throws(ClockStep.Failure) {
            log.write(try step.perform(by: sample, delay))
            loop.exit(0)
        } catch {
            log.write("\(error)", priority: .error)
            loop.exit(1)
        }
    }

    /// chrony may start later, or again: each measurement is sent to the path.
    private func send(_ sample: TimeSample, _ delay: ByteDelay) {
        memory?.write(sample, precision: delay.precision)
        guard let path = outputs.chrony else { return }
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

/// The delays that were learned, in memory and in the state directory, which no other program
/// writes.
final class DelayStore {
    /// The least time between two writes.
    private static let interval = Instant.Span.seconds(3600)

    private let file: AtomicFile?
    private let log: ProgramLog
    private(set) var delays = LearnedDelays()
    private var isChanged = false
    private var lastWrite: Instant?
    private var problem = RepeatedProblem()

    /// Reads what an earlier process has learned. A damaged file is replaced later.
    ///
    /// - Parameter directory: The state directory; nil: nothing is kept.
    init(directory: String?, log: ProgramLog) {
        file = directory.map { AtomicFile(path: "\($0)/\(LearnedDelays.fileName)") }
        self.log = log
        guard let file else { return }
        do throws(SystemError) {
            let bytes = try file.contents()
            if let kept = LearnedDelays(text: bytes) {
                delays = kept
            } else {
                log.write("ignoring \(file.path), which is damaged: delays are learned again", priority: .warning)
            }
        } catch {
            if error.code != ENOENT { log.write("the learned delays are not used: \(error)", priority: .warning) }
        }
    }

    /// Learns from a measurement, as ``LearnedDelays/learn(_:of:clockError:at:)``, and writes the
    /// file when a delay becomes known, and then once an hour.
    func learn(_ sample: TimeSample, of receiver: TimedReceiver, clockError: Instant.Span?, at now: Instant) -> Bool {
        guard delays.learn(sample, of: receiver, clockError: clockError, at: now) else { return false }
        isChanged = true
        let isFirst = delays.count(of: receiver, for: sample.moment) == LearnedDelay.minCount
        if isFirst || lastWrite.map({ now - $0 >= DelayStore.interval }) ?? false {
            lastWrite = now
            save()
        }
        if lastWrite == nil { lastWrite = now }
        return true
    }

    /// Writes the file if anything has changed.
    func save() {
        guard isChanged, let file else { return }
        do throws(SystemError) {
            try file.replace(with: delays.text)
            isChanged = false
        } catch {
            let reason = "the learned delays are not kept: \(error)"
            if problem.shouldLog(reason) { log.write(reason, priority: .warning) }
        }
    }
}

/// A unit of the shared memory from which ntpd and ntpsec read the time (refclock_shm.c, mode 1).
/// The first program creates it and owns it: units 0 and 1 are root's alone.
final class SharedMemoryClock {
    /// The key of unit 0: "NTP0".
    private static let key: key_t = 0x4e54_5030
    /// The size of the structure with times of 64 bits.
    private static let size = 96

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

    /// Whether any program has written a measurement since the memory exists, which is until the
    /// machine restarts: the units keep it when they stop (`RemoveIPC=no`).
    var isWritten: Bool { memory.load(fromByteOffset: Field.count, as: UInt32.self) != 0 }

    /// Writes a measurement. The count before and after shows a reader that it was not interrupted.
    ///
    /// - Parameter precision: The uncertainty as a power of two, in seconds.
    func write(_ sample: TimeSample, precision: Int32) {
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
        store(precision, at: Field.precision)
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
