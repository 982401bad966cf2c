import CLinux
import CSystemd
import Chronology
import Glibc
import SystemCalls

/// The event loop of a service. Waits for descriptors, signals and one deadline, and calls their
/// handlers one after another.
///
/// All handlers run on the thread that called ``run()``. An idle loop sleeps without a timer. The
/// implementation uses sd-event, so the loop can also feed the service manager's watchdog. The loop
/// does not need a running systemd.
package final class EventLoop {
    /// Called after the deadline, with the instant of this wakeup. The deadline is then cleared;
    /// the handler may set the next one.
    package var onDeadline: (Instant) -> Void = { _ in }

    /// Called at the end of each iteration, after the event's handler. Use it to send effects and
    /// to set the deadline.
    ///
    /// Each ready descriptor has its own iteration, so the effects of one event are sent before the
    /// loop handles the next.
    package var afterEachIteration: () -> Void = {}

    /// How often the loop slept and woke. Iterations that found a pending event without sleeping do
    /// not count.
    package private(set) var wakeupCount: UInt64 = 0

    /// The loop of sd-event, to which a bus is attached.
    let event: OpaquePointer
    private var timer: OpaquePointer?
    private var signals: [SignalSource] = []
    private var armedDeadline: Instant?
    /// The deadline that the wait itself ends at, instead of the timer: see ``setDeadline(_:)``.
    private var waitLimit: Instant?
    private let waitedSpans: ClosedRange<Instant.Span>
    private var isEnding = false
    /// Why the deadline could not be set.
    private var failure: SystemError?

    /// Creates a loop without event sources.
    ///
    /// - Parameter waitedSpans: How far off a deadline is that the wait itself ends at, which saves
    ///   the call that sets the timer. The wait may end a millisecond late, and does not count the
    ///   time in suspend; the next event, such as logind's at its end, then serves the deadline.
    /// - Throws: `SystemError` if the process has no free descriptors.
    package init(waitedSpans: ClosedRange<Instant.Span> = .seconds(1)...(.seconds(10))) throws(SystemError) {
        self.waitedSpans = waitedSpans
        var created: OpaquePointer?
        try throwingOnError(sd_event_new(&created), operation: "creating the event loop")
        guard let created else { throw SystemError(code: ENOMEM, operation: "creating the event loop") }
        event = created
    }

    /// The instant of this wakeup. The loop reads the clock once per wakeup; all handlers of an
    /// iteration get the same value; `HostClock.now` may be later. Before the first wakeup: the
    /// current time.
    package var now: Instant {
        var microseconds: UInt64 = 0
        guard sd_event_now(event, CLOCK_BOOTTIME, &microseconds) >= 0 else {
            return HostClock.now
        }
        return .zero + Instant.Span(nanoseconds: 1000) * Int(clamping: microseconds)
    }

    /// Creates work that the loop performs during the lifetime of the returned object when nothing
    /// else is ready, whenever it is scheduled.
    ///
    /// - Parameter handler: The object holds a strong reference to it, so capture its owner unowned
    ///   or weakly.
    /// - Throws: `SystemError` if the loop cannot create the source.
    package func makeDeferredWork(_ handler: @escaping () -> Void) throws(SystemError) -> DeferredWork {
        try DeferredWork(event: event, handler: handler)
    }

    /// Watches a descriptor during the lifetime of the returned source.
    ///
    /// - Parameters:
    ///   - descriptor: The caller owns it and closes it after the source is destroyed.
    ///   - events: The events to wait for. ``IOEvents/hangup`` and ``IOEvents/failure`` are always
    ///     reported.
    ///   - handler: Called with the events. The source holds a strong reference to it, so capture
    ///     its owner unowned or weakly.
    /// - Throws: `SystemError`; EPERM for a regular file, because epoll cannot watch it.
    package func watch(
        _ descriptor: Int32, for events: IOEvents, handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> IOSource {
        try IOSource(event: event, descriptor: descriptor, events: events, handler: handler)
    }

    /// Handles a signal for the rest of the loop's lifetime.
    ///
    /// Call this method before the process creates other threads, because it blocks the signal only
    /// in the calling thread.
    ///
    /// - Throws: `SystemError`; EBUSY if the loop already handles this signal.
    package func handle(_ signal: ProcessSignal, handler: @escaping () -> Void) throws(SystemError) {
        signals.append(try SignalSource(event: event, signal: signal, handler: handler))
    }

    /// Ignores SIGPIPE, so that a write to a connection without a reader fails with EPIPE instead
    /// of ending the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Feeds the service manager's watchdog from this loop if the manager enabled it
    /// (WATCHDOG_USEC).
    ///
    /// - Returns: Whether the watchdog is enabled.
    /// - Throws: `SystemError` if the loop cannot create the watchdog timer.
    @discardableResult
    package func enableWatchdog() throws(SystemError) -> Bool {
        try throwingOnError(sd_event_set_watchdog(event, 1), operation: "arming the watchdog") > 0
    }

    /// Runs the loop until a call of ``exit(_:)``.
    ///
    /// - Returns: The code passed to ``exit(_:)``.
    /// - Throws: `SystemError` if the loop itself fails or cannot set a deadline, which is
    ///   unexpected.
    package func run() throws(SystemError) -> Int32 {
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            try runIteration()
        }
        if let failure { throw failure }
        var code: Int32 = 0
        try throwingOnError(sd_event_get_exit_code(event, &code), operation: "ending the event loop")
        return code
    }

    /// Runs a service in a new event loop until SIGTERM or SIGINT, and returns the exit status.
    ///
    /// - Parameters:
    ///   - makeService: Creates the service. systemd is told afterwards that it is ready.
    ///   - stop: Ends the service after the signal.
    package static func serve<Service>(
        _ makeService: (EventLoop) throws -> Service, stop: (Service) -> Void = { _ in }
    ) throws -> CInt {
        ignoreBrokenPipes()
        let loop = try EventLoop()
        for signal in [ProcessSignal.terminate, .interrupt] {
            try loop.handle(signal) { [unowned loop] in loop.exit(0) }
        }
        let service = try makeService(loop)
        ServiceManager.ready()
        let code = try withExtendedLifetime(service) { try loop.run() }
        stop(service)
        return code
    }

    /// Ends ``run()`` after this iteration.
    package func exit(_ code: Int32) {
        isEnding = true
        _ = sd_event_exit(event, code)
    }

    private func runIteration() throws(SystemError) {
        if try throwingOnError(sd_event_prepare(event), operation: "preparing to wait for events") == 0 {
            let timeout = waitLimit.map { Self.microsecondsRoundedUp(($0 - HostClock.now).nanoseconds) } ?? .max
            let hasEvent = try throwingOnError(sd_event_wait(event, timeout), operation: "waiting for events") > 0
            wakeupCount += 1
            if !hasEvent { return endWait() }
        }
        try throwingOnError(sd_event_dispatch(event), operation: "dispatching an event")
        afterEachIteration()
        endWait()
    }

    /// Handles the deadline that the wait ends at, also between events without a wait.
    private func endWait() {
        guard !isEnding, let waitLimit, now >= waitLimit else { return }
        handleDeadline()
        afterEachIteration()
    }

    deinit {
        sd_event_source_disable_unref(timer)
        signals.removeAll()
        sd_event_unref(event)
    }
}

extension EventLoop {
    /// Sets or clears the deadline. Setting an unchanged deadline costs nothing. The wait itself
    /// ends at one that is a few seconds off (`waitedSpans`), and a timer at any other.
    ///
    /// - Parameter deadline: The earliest time to call ``onDeadline``; a past instant fires in the
    ///   next iteration. `nil` means no timer and no wakeup. If the loop cannot create the timer,
    ///   ``run()`` ends with the error: the program would sleep for ever.
    package func setDeadline(_ deadline: Instant?) {
        // The last iteration calls the handlers once more.
        guard !isEnding else { return }
        do throws(SystemError) { try change(to: deadline) } catch {
            failure = error
            exit(1)
        }
    }

    private func change(to deadline: Instant?) throws(SystemError) {
        guard let deadline else { return try disarm() }
        guard deadline != waitLimit, deadline != armedDeadline else { return }
        if waitedSpans.contains(deadline - now) {
            try disarm()
            waitLimit = deadline
            return
        }
        waitLimit = nil
        try arm(at: Self.microsecondsRoundedUp(deadline.nanoseconds))
        armedDeadline = deadline
    }

    private func disarm() throws(SystemError) {
        waitLimit = nil
        guard let timer, armedDeadline != nil else { return }
        armedDeadline = nil
        try throwingOnError(sd_event_source_set_enabled(timer, Int32(SD_EVENT_OFF)), operation: "disarming the timer")
    }

    /// The allowed delay of the timer in microseconds; 0 would be sd-event's default of 250 ms.
    private static let accuracy: UInt64 = 1

    private func arm(at microseconds: UInt64) throws(SystemError) {
        guard let timer else {
            let context = Unmanaged.passUnretained(self).toOpaque()
            try throwingOnError(
                sd_event_add_time(
                    event, &timer, CLOCK_BOOTTIME, microseconds, Self.accuracy, timerCallback, context),
                operation: "creating a timer")
            return
        }
        try throwingOnError(sd_event_source_set_time(timer, microseconds), operation: "setting the timer")
        try throwingOnError(sd_event_source_set_enabled(timer, Int32(SD_EVENT_ONESHOT)), operation: "arming the timer")
    }

    /// Rounds up, because a timer that fires slightly early finds nothing due and must be set
    /// again.
    private static func microsecondsRoundedUp(_ nanoseconds: Int64) -> UInt64 {
        let positive = UInt64(max(0, nanoseconds))
        return positive / 1000 + (positive % 1000 == 0 ? 0 : 1)
    }

    fileprivate func handleDeadline() {
        (armedDeadline, waitLimit) = (nil, nil)
        onDeadline(now)
    }
}

private func timerCallback(_: OpaquePointer?, _: UInt64, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(loop) { loop.handleDeadline() }
    return 0
}

/// Checks a result of libsystemd, where a negative value is a negated `errno`.
///
/// - Returns: The result if it is not negative.
/// - Throws: `SystemError` with the `errno`.
@discardableResult
func throwingOnError(_ result: Int32, operation: @autoclosure () -> String) throws(SystemError) -> Int32 {
    guard result < 0 else { return result }
    throw SystemError(code: -result, operation: operation())
}

/// Work that an ``EventLoop`` performs when no descriptor, signal or deadline is ready.
///
/// While it is scheduled, the loop does not sleep: each iteration handles one event that is ready,
/// or else performs this work once.
package final class DeferredWork {
    /// Whether other events come first.
    package enum Priority: Sendable, Hashable {
        /// Performed only if no event is ready.
        case afterEvents
        /// Performed in the next iteration.
        case beforeEvents

        /// The priority of a source: lower values come first, and all others have 0 (sd-event(3)).
        fileprivate var value: Int64 { self == .afterEvents ? 10 : -10 }
    }

    private let handler: () -> Void
    private var source: OpaquePointer?

    init(event: OpaquePointer, handler: @escaping () -> Void) throws(SystemError) {
        self.handler = handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        try throwingOnError(
            sd_event_add_defer(event, &source, deferredWorkCallback, context), operation: "creating deferred work")
        setScheduled(false)
        priority = .afterEvents
        sd_event_source_set_priority(source, priority.value)
    }

    /// Whether the work is performed in the following iterations.
    package var isScheduled = false {
        didSet { if isScheduled != oldValue { setScheduled(isScheduled) } }
    }

    /// Whether other events come first.
    package var priority = Priority.afterEvents {
        didSet { if priority != oldValue { sd_event_source_set_priority(source, priority.value) } }
    }

    private func setScheduled(_ isScheduled: Bool) {
        sd_event_source_set_enabled(source, Int32(isScheduled ? SD_EVENT_ON : SD_EVENT_OFF))
    }

    fileprivate func perform() { handler() }

    deinit { sd_event_source_disable_unref(source) }
}

private func deferredWorkCallback(_: OpaquePointer?, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let work = Unmanaged<DeferredWork>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(work) { work.perform() }
    return 0
}

/// A signal that a service handles.
package enum ProcessSignal: Int32, Sendable, Hashable {
    /// SIGHUP: reload the configuration.
    case hangup = 1
    /// SIGINT: stop, the user pressed Ctrl-C.
    case interrupt = 2
    /// SIGTERM: stop.
    case terminate = 15
}

/// A signal that the event loop handles synchronously: it is blocked, and the loop calls its
/// handler in an iteration (signalfd(2)).
final class SignalSource {
    private let handler: () -> Void
    private var source: OpaquePointer?

    init(event: OpaquePointer, signal: ProcessSignal, handler: @escaping () -> Void) throws(SystemError) {
        self.handler = handler
        try Self.block(signal)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try throwingOnError(
            sd_event_add_signal(event, &source, signal.rawValue, signalSourceCallback, context),
            operation: "waiting for signal \(signal)")
    }

    private static func block(_ signal: ProcessSignal) throws(SystemError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal.rawValue)
        let code = pthread_sigmask(SIG_BLOCK, &signals, nil)
        if code != 0 { throw SystemError(code: code, operation: "blocking signal \(signal)") }
    }

    fileprivate func handle() { handler() }

    deinit { sd_event_source_disable_unref(source) }
}

private func signalSourceCallback(
    _: OpaquePointer?, _: UnsafePointer<signalfd_siginfo>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let source = Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(source) { source.handle() }
    return 0
}
