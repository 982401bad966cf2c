import CLinux
import CSystemd
import Glibc
import SystemCalls

/// A signal a service answers to.
public enum ProcessSignal: Int32, Sendable, Hashable {
    /// SIGHUP: read the configuration again.
    case hangup = 1
    /// SIGINT: end, somebody pressed Ctrl-C.
    case interrupt = 2
    /// SIGUSR1: the service's own.
    case user = 10
    /// SIGTERM: end.
    case terminate = 15
}

/// A signal taken out of the asynchronous world: it is blocked, and told by the loop in its turn (signalfd(2)).
final class SignalSource {
    private let handler: () -> Void
    private var source: OpaquePointer?

    init(event: OpaquePointer, signal: ProcessSignal, handler: @escaping () -> Void) throws(SystemError) {
        self.handler = handler
        try Self.block(signal)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try checked(sd_event_add_signal(event, &source, signal.rawValue, signalArrived, context), "waiting for signal \(signal)")
    }

    private static func block(_ signal: ProcessSignal) throws(SystemError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal.rawValue)
        let code = pthread_sigmask(SIG_BLOCK, &signals, nil)
        if code != 0 { throw SystemError(code: code, doing: "blocking signal \(signal)") }
    }

    fileprivate func arrived() { handler() }

    deinit { sd_event_source_disable_unref(source) }
}

private func signalArrived(
    _: OpaquePointer?, _: UnsafePointer<signalfd_siginfo>?, context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    let source = Unmanaged<SignalSource>.fromOpaque(context).takeUnretainedValue()
    withExtendedLifetime(source) { source.arrived() }
    return 0
}
