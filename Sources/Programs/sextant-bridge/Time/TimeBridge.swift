import Bridges
import CLinux
import Chronology
import Glibc
import ServiceRuntime
import SextantAPI
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
    private var requests: DaemonStream<GetLocationParameters, GetLocationReply>?
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

    private func finishRequest(_ event: DaemonStream<GetLocationParameters, GetLocationReply>.Event) {
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
