import CSystemd
import SystemCalls

/// A file descriptor an ``EventLoop`` watches, for as long as this object lives.
///
/// Let go of the source, or call ``remove()``, before closing the descriptor. Both are safe inside the source's own handler.
public final class IOSource {
    /// How the descriptor is being watched.
    public enum Mode: Sendable, Hashable {
        /// Not at all: what happens is told once it is watched again.
        case off
        /// At every event.
        case on
        /// Until the next event, then ``off``.
        case once

        fileprivate var enabled: Int32 {
            switch self {
            case .off: Int32(SD_EVENT_OFF)
            case .on: Int32(SD_EVENT_ON)
            case .once: Int32(SD_EVENT_ONESHOT)
            }
        }
    }

    /// The descriptor; owned by whoever opened it.
    public let descriptor: Int32
    private let handler: (IOEvents) -> Void
    private var source: OpaquePointer?

    init(
        event: OpaquePointer, descriptor: Int32, events: IOEvents, mode: Mode, handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.handler = handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        try checked(
            sd_event_add_io(event, &source, descriptor, events.rawValue, ioHappened, context), "watching descriptor \(descriptor)")
        if mode != .on { try setMode(mode) }
    }

    /// Watches the descriptor differently from now on.
    ///
    /// - Throws: `SystemError` when the kernel refuses it, for example because the descriptor was closed.
    public func setMode(_ mode: Mode) throws(SystemError) {
        guard let source else { return }
        try checked(sd_event_source_set_enabled(source, mode.enabled), "watching descriptor \(descriptor)")
    }

    /// Waits for other events from now on.
    ///
    /// - Throws: `SystemError` when the kernel refuses it.
    public func setEvents(_ events: IOEvents) throws(SystemError) {
        guard let source else { return }
        try checked(sd_event_source_set_io_events(source, events.rawValue), "watching descriptor \(descriptor)")
    }

    /// Stops watching for good. The handler is not called again.
    public func remove() {
        guard let source else { return }
        self.source = nil
        sd_event_source_disable_unref(source)
    }

    fileprivate func happened(_ events: IOEvents) {
        guard source != nil else { return }
        handler(events)
    }

    deinit { remove() }
}

/// Keeps the source alive over the call, so that a handler may drop the last reference to it.
private func ioHappened(_: OpaquePointer?, _: Int32, events: UInt32, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let source = Unmanaged<IOSource>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(source) { source.happened(IOEvents(rawValue: events)) }
    return 0
}
