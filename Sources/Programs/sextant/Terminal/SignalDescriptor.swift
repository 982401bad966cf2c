import CLinux
import Glibc
import SystemCalls

/// Signals as a readable file descriptor (signalfd(2)), so that one call waits for them and all
/// other input.
struct SignalDescriptor: ~Copyable {
    private let file: FileDescriptor

    /// The file descriptor; readable when a signal is pending.
    var descriptor: Int32 { file.number }

    /// Blocks the default action of these signals for the whole process. Leaves out SIGHUP if
    /// nohup(1) ignores it.
    init(_ signals: [Int32]) throws(CommandError) {
        var set = sigset_t()
        sigemptyset(&set)
        // A blocked signal is delivered to the descriptor even if it is ignored.
        for signal in signals where signal != SIGHUP || !SignalDescriptor.isIgnored(signal) { sigaddset(&set, signal) }
        do throws(SystemError) {
            try systemCall("cannot block signals") { sigprocmask(SIG_BLOCK, &set, nil) }
            file = FileDescriptor(
                owning: try systemCall("cannot create a signal descriptor") { linux_signal_descriptor(&set) })
        } catch {
            throw CommandError(error)
        }
    }

    /// Returns the signals received since the last call.
    func readPending() -> [Int32] {
        var signals: [Int32] = []
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while uninterrupted({ read(descriptor, &info, size) }) == size {
            signals.append(Int32(bitPattern: info.ssi_signo))
        }
        return signals
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return withUnsafeBytes(of: action.__sigaction_handler) { $0.loadUnaligned(as: Int.self) } == ignoring
    }

    /// The value of `SIG_IGN`, which is not a function.
    private static let ignoring = 1

    /// The signals that end the program. SIGQUIT (Ctrl-\) is one of them: its default action would
    /// leave the terminal in full-screen mode without echo.
    static let terminating = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
}
