/// Prints to standard error that the connection to the daemon is lost or restored, once each time.
struct ConnectionMessages {
    private var isDisconnected = false

    /// Reports a lost connection. Failed attempts to restore it are not reported again.
    mutating func reportLoss(_ error: CommandError) {
        guard !isDisconnected else { return }
        isDisconnected = true
        StandardError.line("sextant: \(error.description); retrying until the connection is restored")
    }

    /// Reports a restored connection.
    mutating func reportReconnection() {
        isDisconnected = false
        StandardError.line("sextant: reconnected to sextantd")
    }
}
