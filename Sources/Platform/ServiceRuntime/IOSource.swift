import CLinux
import CSystemd
import SystemCalls

/// A file descriptor that an ``EventLoop`` watches during the lifetime of this object.
///
/// Release the source or call ``remove()`` before you close the descriptor. Both are safe in the
/// source's own handler.
package final class IOSource {
    /// The watched descriptor; the code that opened it owns it.
    package let descriptor: Int32
    private let handler: (IOEvents) -> Void
    private var source: OpaquePointer?

    init(
        event: OpaquePointer, descriptor: Int32, events: IOEvents, handler: @escaping (IOEvents) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.handler = handler
        let context = Unmanaged.passUnretained(self).toOpaque()
        try throwingOnError(
            sd_event_add_io(event, &source, descriptor, events.rawValue, ioSourceCallback, context),
            operation: "watching descriptor \(descriptor)")
    }

    /// Changes the events to wait for.
    ///
    /// - Throws: `SystemError` if the kernel refuses.
    package func setEvents(_ events: IOEvents) throws(SystemError) {
        guard let source else { return }
        try throwingOnError(
            sd_event_source_set_io_events(source, events.rawValue), operation: "watching descriptor \(descriptor)")
    }

    /// Handles the events of this source before those of others that are ready.
    ///
    /// - Throws: `SystemError` if the loop has no memory.
    package func takePrecedence() throws(SystemError) {
        guard let source else { return }
        try throwingOnError(
            sd_event_source_set_priority(source, Int64(SD_EVENT_PRIORITY_IMPORTANT)),
            operation: "watching descriptor \(descriptor)")
    }

    /// Stops watching permanently. The handler is not called again.
    package func remove() {
        guard let source else { return }
        self.source = nil
        sd_event_source_disable_unref(source)
    }

    fileprivate var presentHandler: ((IOEvents) -> Void)? { source == nil ? nil : handler }

    deinit { remove() }
}

/// Keeps the handler alive during the call, and not the source: when the handler releases that, its
/// descriptor is no longer watched at once. Later, the number may be that of another descriptor.
private func ioSourceCallback(_: OpaquePointer?, _: Int32, events: UInt32, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    let handler = Unmanaged<IOSource>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.presentHandler }
    handler?(IOEvents(rawValue: events))
    return 0
}

/// Events of a file descriptor (epoll(7)).
package struct IOEvents: OptionSet, Sendable, Hashable {
    /// The epoll bits, such as `EPOLLIN`.
    package let rawValue: UInt32

    /// Creates a set from epoll bits.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The descriptor has data to read or a connection to accept (EPOLLIN).
    package static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    /// The descriptor accepts data to write (EPOLLOUT).
    package static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer closed the connection, or the device was unplugged (EPOLLHUP). Always reported.
    package static let hangup = IOEvents(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has an error (EPOLLERR). Always reported.
    package static let failure = IOEvents(rawValue: EPOLLERR.rawValue)
}
