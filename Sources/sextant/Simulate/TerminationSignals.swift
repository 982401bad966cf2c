import Glibc
import ReceiverSimulator

/// SIGINT and SIGTERM as a descriptor that becomes readable, so that a blocking loop can end in good order.
struct TerminationSignals {
    /// Readable once one of them has come.
    let descriptor: Int32

    /// Takes both signals over from their default, which ends the program at once.
    ///
    /// - Throws: ``SystemFailure`` when no pipe can be made.
    init() throws(SystemFailure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure(action: "make a pipe for signals", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        descriptor = ends[0]
        writingEnd = ends[1]
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            var byte: UInt8 = 1
            _ = write(writingEnd, &byte, 1)
        }
        for signal in [SIGINT, SIGTERM] { sigaction(signal, &action, nil) }
    }
}

// A signal handler has no context; this is written once, before the handler can run.
private nonisolated(unsafe) var writingEnd: Int32 = -1
