import CLinux
import CSystemd
import Glibc
import SystemCalls

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
