import CLinux
import CSystemd
import Glibc
import SystemCalls

/// Notifications to the service manager that started this service (sd_notify(3)). Without a manager
/// the calls have no effect.
package enum ServiceManager {
    /// Whether a manager receives notifications (NOTIFY_SOCKET is set).
    package static var isAvailable: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Notifies the manager that start-up or a reload is complete and the service accepts clients.
    package static func ready(status: String? = nil) {
        notify("READY=1", status: status)
    }

    /// Notifies the manager that the service reloads its configuration; ``ready(status:)``
    /// completes the reload. Includes the clock value that `Type=notify-reload` requires.
    package static func reloading() {
        notify("RELOADING=1\nMONOTONIC_USEC=\(max(0, linux_monotonic_microseconds()))")
    }

    /// Notifies the manager that the service stops.
    package static func stopping(status: String? = nil) {
        notify("STOPPING=1", status: status)
    }

    /// Stores a copy of a descriptor for a later process of this service, if the unit has
    /// FileDescriptorStoreMax=. The manager removes it when its connection ends.
    ///
    /// - Parameter name: Printable ASCII without a colon, at most 255 characters.
    package static func store(_ descriptor: Int32, name: String) {
        var descriptor = descriptor
        _ = sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=\(name)", &descriptor, 1)
    }

    package static func removeStored(name: String) {
        _ = sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)")
    }

    /// Sets the one-line status that `systemctl status` shows.
    package static func status(_ text: String) {
        notify(statusAssignment(text))
    }

    /// Returns the status as one line: a line break in the text would begin another assignment. The
    /// text may name devices and programs, and `systemctl status` prints it.
    static func statusAssignment(_ text: String) -> String {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        return "STATUS=" + TerminalText.sanitized(line)
    }

    /// Ignores a failure, because it does not affect the service and the service cannot correct it.
    private static func notify(_ state: String, status: String? = nil) {
        _ = sd_notify(0, status.map { state + "\n" + statusAssignment($0) } ?? state)
    }
}
