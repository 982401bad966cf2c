import CLinux
import CSystemd
import Glibc

/// What a service tells the manager that started it (sd_notify(3)). Without a manager every call does nothing.
public enum ServiceManager {
    /// Whether a manager listens (NOTIFY_SOCKET is set).
    public static var isListening: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Start-up, or a reload, is over and clients are served.
    public static func ready(status: String? = nil) {
        notify("READY=1", status: status)
    }

    /// The configuration is being read again; ``ready(status:)`` ends it. Carries the clock `Type=notify-reload` asks for.
    public static func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(max(0, linux_monotonic_microseconds()))")
    }

    /// The service is ending.
    public static func stopping(status: String? = nil) {
        notify("STOPPING=1", status: status)
    }

    /// One line on what the service is doing, shown by `systemctl status`.
    public static func status(_ text: String) {
        notify(statusAssignment(text))
    }

    /// One line: a line break in the text would begin another assignment.
    static func statusAssignment(_ text: String) -> String {
        "STATUS=" + String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }

    /// Failure is of no consequence to the service and nothing it could mend.
    private static func notify(_ state: String, status: String? = nil) {
        _ = sd_notify(0, status.map { state + "\n" + statusAssignment($0) } ?? state)
    }
}
