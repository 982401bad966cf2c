import CSystemd
import SystemCalls

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
