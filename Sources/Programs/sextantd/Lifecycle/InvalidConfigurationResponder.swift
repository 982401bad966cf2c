import Chronology
import Glibc
import ServiceRuntime
import Settings
import SextantAPI
import SystemCalls
import Varlink

/// Answers the clients that started the service by their connection, when it cannot start because
/// its configuration is invalid.
///
/// A connection that nobody accepts would make systemd start the service again at once, until its
/// start limit disables service and socket. Then a corrected configuration could not start either.
/// `docs/decisions/0008-invalid-configuration.md` gives the reasons.
enum InvalidConfigurationResponder {
    /// How long clients are answered. A client that connects again and again then causes at most
    /// two starts in the 10 s in which systemd by default allows five.
    static let duration = Instant.Span.seconds(5)

    /// Sends the error to every client that connects on the socket of the service manager. Returns
    /// at once without such a socket, and if no client waits, as after `systemctl start`.
    static func run(_ error: ConfigurationError) {
        guard let socket = try? ListenSockets.claim(named: "varlink") else { return }
        let listener = StreamListener(adopting: socket)
        guard isReadable(listener, within: .zero) else { return }
        ServiceManager.status("cannot start: \(error)")
        let message = ManagerError.invalidConfiguration(
            file: error.file, line: error.line, key: error.key, reason: error.reason)
        let frame = ReplyFrame.error(message.reply)
        let end = HostClock.now + duration
        repeat {
            // An error, such as too many open files, would come again at once.
            let accepted: FileDescriptor?
            do { accepted = try listener.accept() } catch { return }
            guard let client = accepted else { continue }
            // The end of the process closes the connection: a client that has not sent its call yet
            // must be able to, before it reads the answer.
            let number = client.release()
            _ = frame.withUnsafeBytes {
                send(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        } while isReadable(listener, within: end - HostClock.now)
    }

    /// Waits for a client. Returns `false` if none comes in this time.
    private static func isReadable(_ listener: StreamListener, within span: Instant.Span) -> Bool {
        let end = HostClock.now + span
        while true {
            var entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = max(0, (end - HostClock.now).seconds * 1000).rounded(.up)
            let count = poll(&entry, 1, Int32(milliseconds))
            guard count < 0, errno == EINTR else { return count > 0 && (span == .zero || HostClock.now < end) }
        }
    }
}
