import Chronology
import Geofencing
import Locator
import Logging
import Receivers
import ServiceRuntime
import SystemCalls
import Varlink

/// Puts the receivers to sleep before the host is suspended, and opens their ports again
/// afterwards.
///
/// A lock of logind delays the suspension until the receivers sleep. Where there is no message bus,
/// there is no connection.
final class SuspendService: Service {
    private static let logind = "org.freedesktop.login1"

    let context: ServiceContext
    let methods: [String] = []
    private let receivers: ReceiverService
    private var bus: SystemBus?
    /// When the bus is connected to again; nil while there is a connection.
    private var reconnectAt: Instant?
    private var backoff = ExponentialBackoff()
    private var lock: FileDescriptor?
    private var isLackLogged = false
    private var suspension: AnnouncedSuspension?
    /// Returns the time since boot without suspensions. Tests set it.
    var uptime = { HostClock.uptime }

    init(_ context: ServiceContext, receivers: ReceiverService) {
        self.context = context
        self.receivers = receivers
        if SystemBus.isPresent { connect(at: context.loop.now) }
    }

    func handle(_ call: Call, from session: ClientSession) throws(VarlinkError) { throw call.methodNotImplemented }

    private func connect(at now: Instant) {
        reconnectAt = nil
        do throws(SystemError) {
            let bus = try SystemBus(in: loop, endsLoop: false)
            self.bus = bus
            let signal = "interface='\(SuspendService.logind).Manager',member='PrepareForSleep'"
            try bus.match(signal, of: SuspendService.logind) { [unowned self] arguments in
                guard let begins = arguments.first?.bool else { return }
                if begins { suspend(at: loop.now) } else { resume(at: loop.now) }
            }
            // A lock ends with the logind that gave it, and so do its announcements.
            let owner = "member='NameOwnerChanged',arg0='\(SuspendService.logind)'"
            try bus.match(owner, of: SystemBus.name) { [unowned self] arguments in
                endUnannounced(at: loop.now)
                if arguments.count == 3, arguments[2].string != "" { takeLock() }
            }
            try bus.match("member='Disconnected'", of: SystemBus.localName) { [unowned self] _ in
                endUnannounced(at: loop.now)
                // Calls on the way have failed before with a reason of their own.
                isLackLogged = false
                lost("the message bus has ended", at: loop.now)
            }
            takeLock()
        } catch { lost("\(error)", at: now) }
    }

    /// Connects again later: the connection is in use by the caller.
    private func lost(_ reason: String, at now: Instant) {
        reconnectAt = now + backoff.next(from: .seconds(1), max: .seconds(600))
        logLack(reason)
    }

    private func takeLock() {
        let call = SystemBus.Call(
            SuspendService.logind, path: "/org/freedesktop/login1", interface: "\(SuspendService.logind).Manager",
            method: "Inhibit",
            arguments: [.string("sleep"), .string("sextantd"), .string("putting receivers to sleep"), .string("delay")])
        // Without the lock, the announcements still count.
        bus?.acceptSignals(of: SuspendService.logind)
        bus?.callForDescriptor(call) { [unowned self] result in
            switch result {
            case .success(let number):
                lock = number < 0 ? nil : FileDescriptor(owning: number)
                isLackLogged = false
                backoff.reset()
            case .failure(let failure): if !failure.isServiceAbsent { logLack(failure.message) }
            }
        }
    }

    private func logLack(_ reason: String) {
        guard !isLackLogged else { return }
        isLackLogged = true
        log.notice("receivers may stay awake while the host is suspended: \(reason)")
    }

    func suspend(at now: Instant) {
        log.info("the host is about to be suspended")
        suspension = AnnouncedSuspension(at: now, uptime: uptime())
        context.locator.setSuspended(true, at: now)
    }

    private func resume(at now: Instant, because reason: String = "the host was suspended until now") {
        log.info("\(reason)")
        suspension = nil
        lock = nil
        for port in receivers.ports { port.reopen(at: now) }
        context.locator.setSuspended(false, at: now)
        context.locator.updateBeacons { monitor, _ in if monitor.isScanned { monitor.setScan(true, at: now) } }
        takeLock()
    }

    /// Without logind or the bus, nothing announces the end of a suspension.
    private func endUnannounced(at now: Instant) {
        if suspension != nil { resume(at: now, because: "the end of the suspension was not announced") }
    }

    var deadline: Instant? { earliest(reconnectAt, suspension?.deadline) }

    func endTurn(at now: Instant) {
        if let reconnectAt, reconnectAt <= now { connect(at: now) }
        guard let suspension else { return }
        let isDue = suspension.deadline <= now
        if suspension.isDelayed, isDue || receivers.ports.allSatisfy(\.sleepsAsFarAsPossible) {
            self.suspension?.isDelayed = false
            lock = nil
        } else if isDue, self.suspension?.hasFailed(at: now, uptime: uptime()) == true {
            endUnannounced(at: now)
        }
    }
}

/// A suspension of the host that was announced. It is delayed for 3 s at most; logind itself waits
/// 5 s (InhibitDelayMaxSec= in logind.conf(5)). If the host then runs for 30 s without the
/// announcement of its end, that is lost, or there was no suspension.
struct AnnouncedSuspension {
    private static let maxDelay = Instant.Span.seconds(3)
    private static let maxUptime = Instant.Span.seconds(33)

    /// Whether the lock is held.
    var isDelayed = true
    private let delayEnd: Instant
    private var check: Instant
    /// The time that the host must run until the suspension has failed.
    private let failure: Instant.Span

    /// - Parameter uptime: The time since boot without suspensions.
    init(at now: Instant, uptime: Instant.Span) {
        delayEnd = now + Self.maxDelay
        check = now + Self.maxUptime
        failure = uptime + Self.maxUptime
    }

    /// When the delay ends, or ``hasFailed(at:uptime:)`` is due.
    var deadline: Instant { isDelayed ? delayEnd : check }

    /// Returns whether the receivers wake without an announcement.
    mutating func hasFailed(at now: Instant, uptime: Instant.Span) -> Bool {
        check = now + max(.zero, failure - uptime)
        return uptime >= failure
    }
}

extension Port {
    fileprivate var sleepsAsFarAsPossible: Bool {
        !isOpen || session.driverReport?.sleepsAsFarAsPossible ?? true
    }
}
