import CLinux
import Glibc
import SystemCalls

/// Signals as something to read, so that one wait serves them and everything else (signalfd(2)).
struct SignalInbox: ~Copyable {
    private let file: FileDescriptor

    /// Readable when a signal has come.
    var descriptor: Int32 { file.number }

    /// Takes these signals over from their default action, for the whole process; but a hangup that nohup(1) has it live through.
    init(_ signals: [Int32]) throws(CommandError) {
        var set = sigset_t()
        sigemptyset(&set)
        // A signal that is blocked comes although it is ignored.
        for signal in signals where signal != SIGHUP || !SignalInbox.isIgnored(signal) { sigaddset(&set, signal) }
        do throws(SystemError) {
            try systemCall("cannot take signals over") { sigprocmask(SIG_BLOCK, &set, nil) }
            file = FileDescriptor(owning: try systemCall("cannot take signals over") { linux_signal_descriptor(&set) })
        } catch {
            throw CommandError(error)
        }
    }

    /// The signals that have come since the last call.
    func take() -> [Int32] {
        var taken: [Int32] = []
        var info = signalfd_siginfo()
        while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
            taken.append(Int32(bitPattern: info.ssi_signo))
        }
        return taken
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return withUnsafeBytes(of: action.__sigaction_handler) { $0.loadUnaligned(as: Int.self) } == ignoring
    }

    /// `SIG_IGN`, which is no function.
    private static let ignoring = 1

    /// Those that ask a program to end. Ctrl-\ too: its own action would leave a terminal full of the last picture, and deaf.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
}
