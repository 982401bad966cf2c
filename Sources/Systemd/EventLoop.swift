import CLinux
import CSystemd
import Chronology
import Glibc
import SystemCalls

/// The one loop of a service: waits for descriptors, signals and a single deadline, and calls their handlers one after another.
///
/// All handlers run on the thread that called ``run()``. With nothing due it sleeps without a timer. It is sd-event underneath, so the
/// watchdog of the service manager is fed from it, and it works as well with no systemd running.
public final class EventLoop {
    /// Called when the deadline has passed, with the instant of this wakeup. The deadline is gone by then; set the next one.
    public var onDeadline: (Instant) -> Void = { _ in }

    /// Called at the end of every turn, after the handler of whatever happened: the place to send effects and set the deadline.
    ///
    /// Several descriptors that are ready at the same moment are a turn each, so that what one caused is out before the next is looked at.
    public var afterEachTurn: () -> Void = {}

    /// How often the loop has really slept and been woken; turns that found something pending already do not count.
    public private(set) var wakeups: UInt64 = 0

    private let event: OpaquePointer
    private var timer: OpaquePointer?
    private var signals: [SignalSource] = []
    private var armed: (deadline: Instant, window: Instant.Span)?

    /// A loop with nothing to wait for.
    ///
    /// - Throws: `SystemError` when the process has no descriptors left.
    public init() throws(SystemError) {
        var created: OpaquePointer?
        try checked(sd_event_new(&created), "creating the event loop")
        guard let created else { throw SystemError(code: ENOMEM, doing: "creating the event loop") }
        event = created
    }

    /// The instant of this wakeup: read once when the loop woke, the same for everything done in the turn. Before the first wakeup, now.
    public var now: Instant {
        var microseconds: UInt64 = 0
        guard sd_event_now(event, CLOCK_BOOTTIME, &microseconds) >= 0 else {
            return Instant(nanoseconds: max(0, linux_boottime_nanoseconds()))
        }
        return Instant(nanoseconds: Int64(clamping: microseconds) &* 1000)
    }

    /// Watches a descriptor as long as the returned source lives.
    ///
    /// - Parameters:
    ///   - descriptor: stays the caller's, who closes it after the source is gone.
    ///   - events: what to wait for; ``IOEvents/hangup`` and ``IOEvents/failure`` are told unasked.
    ///   - mode: whether to begin at once.
    ///   - handler: called with what happened. Held by the source, so let it capture its owner unowned or weakly.
    /// - Throws: `SystemError`; EPERM for a plain file, which cannot be waited for.
    public func watch(
        _ descriptor: Int32, for events: IOEvents, mode: IOSource.Mode = .on, _ handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) -> IOSource {
        try IOSource(event: event, descriptor: descriptor, events: events, mode: mode, handler: handler)
    }

    /// Takes a signal over for the rest of the loop's life. Call it before any other thread exists: the signal is blocked in this one.
    ///
    /// - Throws: `SystemError`; EBUSY when the loop has this signal already.
    public func handle(_ signal: ProcessSignal, _ handler: @escaping () -> Void) throws(SystemError) {
        signals.append(try SignalSource(event: event, signal: signal, handler: handler))
    }

    /// A write to a connection whose reader has left shall fail with EPIPE instead of ending the process.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Feeds the service manager's watchdog from this loop, when the manager set one (WATCHDOG_USEC).
    ///
    /// - Returns: whether there is a watchdog to feed.
    /// - Throws: `SystemError` when its timer cannot be made.
    @discardableResult
    public func feedWatchdog() throws(SystemError) -> Bool {
        try checked(sd_event_set_watchdog(event, 1), "arming the watchdog") > 0
    }

    /// Calls the handlers until ``exit(_:)``.
    ///
    /// - Returns: the code given to ``exit(_:)``.
    /// - Throws: `SystemError` when the loop itself fails, which is not expected.
    public func run() throws(SystemError) -> Int32 {
        while sd_event_get_state(event) != SD_EVENT_FINISHED {
            try turn()
        }
        var code: Int32 = 0
        try checked(sd_event_get_exit_code(event, &code), "ending the event loop")
        return code
    }

    /// Ends ``run()`` after this turn.
    public func exit(_ code: Int32) {
        _ = sd_event_exit(event, code)
    }

    private func turn() throws(SystemError) {
        if try checked(sd_event_prepare(event), "preparing to wait") == 0 {
            let happened = try checked(sd_event_wait(event, .max), "waiting")
            wakeups &+= 1
            if happened == 0 { return }
        }
        try checked(sd_event_dispatch(event), "calling handlers")
        afterEachTurn()
    }

    deinit {
        sd_event_source_disable_unref(timer)
        signals.removeAll()
        sd_event_unref(event)
    }
}

extension EventLoop {
    /// Sets the one deadline, or takes it away. Setting what is set already costs nothing.
    ///
    /// - Parameters:
    ///   - deadline: never fires before it; an instant that has passed fires in the next turn. `nil`: no timer, no wakeup.
    ///   - window: how much later it may fire, so that the wakeups of this machine's services fall together. Zero: at once.
    /// - Throws: `SystemError` when the timer cannot be made.
    public func setDeadline(_ deadline: Instant?, window: Instant.Span = .zero) throws(SystemError) {
        guard let deadline else { return try disarm() }
        if let armed, armed == (deadline, window) { return }
        try arm(at: Self.microsecondsRoundedUp(deadline.nanoseconds), window: Self.microsecondsRoundedUp(window.nanoseconds))
        armed = (deadline, window)
    }

    private func disarm() throws(SystemError) {
        guard let timer, armed != nil else { return }
        armed = nil
        try checked(sd_event_source_set_enabled(timer, Int32(SD_EVENT_OFF)), "disarming the timer")
    }

    private func arm(at microseconds: UInt64, window: UInt64) throws(SystemError) {
        let accuracy = max(1, window)  // 0 would mean sd-event's default of 250 ms
        guard let timer else {
            let context = Unmanaged.passUnretained(self).toOpaque()
            try checked(
                sd_event_add_time(event, &timer, CLOCK_BOOTTIME, microseconds, accuracy, timerFired, context), "making a timer")
            return
        }
        try checked(sd_event_source_set_time(timer, microseconds), "setting the timer")
        try checked(sd_event_source_set_time_accuracy(timer, accuracy), "setting the timer")
        try checked(sd_event_source_set_enabled(timer, Int32(SD_EVENT_ONESHOT)), "arming the timer")
    }

    /// Up, because a timer that fires a fraction early finds nothing due and would be set again.
    private static func microsecondsRoundedUp(_ nanoseconds: Int64) -> UInt64 {
        let positive = UInt64(max(0, nanoseconds))
        return positive / 1000 + (positive % 1000 == 0 ? 0 : 1)
    }

    fileprivate func deadlinePassed() {
        armed = nil
        onDeadline(now)
    }
}

private func timerFired(_: OpaquePointer?, _: UInt64, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(loop) { loop.deadlinePassed() }
    return 0
}
