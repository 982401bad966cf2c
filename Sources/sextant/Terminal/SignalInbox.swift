import CLinux
import Glibc
import SystemCalls

/// Signals as something to read, so that one wait serves them and everything else (signalfd(2)).
struct SignalInbox: ~Copyable {
    private let file: FileDescriptor

    /// Readable when a signal has come.
    var descriptor: Int32 { file.number }

    /// Takes these signals over from their default action, for the whole process.
    init(_ signals: [Int32]) throws(CommandError) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
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

    /// Those that ask a program to end.
    static let ending = [SIGINT, SIGTERM, SIGHUP]
}
