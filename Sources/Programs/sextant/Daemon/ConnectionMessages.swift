/// Prints to standard error that the connection to the daemon is lost or restored, once each time.
struct ConnectionMessages {
    private var isDisconnected = false

    /// Reports a lost connection. Failed attempts to restore it are not reported again.
    mutating func reportLoss(_ error: CommandError) {
        guard !isDisconnected else { return }
        isDisconnected = true
        StandardError.line("sextant: \(error.description); retrying until the connection is restored")
    }

    /// Reports a daemon that has the connection and does not reply.
    mutating func reportHang(_ error: CommandError) {
        guard !isDisconnected else { return }
        isDisconnected = true
        StandardError.line("sextant: \(error.description); waiting until it replies")
    }

    /// Reports that the daemon replies again.
    mutating func reportReply() {
        isDisconnected = false
        StandardError.line("sextant: sextantd replies again")
    }

    /// Reports a restored connection.
    mutating func reportReconnection() {
        isDisconnected = false
        StandardError.line("sextant: reconnected to sextantd")
    }
}
