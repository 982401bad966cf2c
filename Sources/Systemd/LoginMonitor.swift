import CSystemd
import Glibc
import SystemCalls

/// The users with an active login session, as logind knows them.
///
/// It watches the files of logind, so it wakes the process only when a user logs in or out, or
/// switches the session (sd-login(3)).
package final class LoginMonitor {
    private let monitor: OpaquePointer
    private var source: IOSource?

    /// Starts to watch logind.
    ///
    /// - Parameter changed: Called when the users may have changed.
    /// - Returns: `nil` on a system without logind.
    package init?(loop: EventLoop, changed: @escaping () -> Void) {
        guard access("/run/systemd/users", F_OK) == 0 else { return nil }
        var created: OpaquePointer?
        guard sd_login_monitor_new("uid", &created) >= 0, let created else { return nil }
        monitor = created
        let descriptor = sd_login_monitor_get_fd(created)
        guard descriptor >= 0 else { return nil }
        source = try? loop.watch(descriptor, for: .readable) { [unowned self] _ in
            sd_login_monitor_flush(monitor)
            changed()
        }
        if source == nil { return nil }
    }

    /// The users with an active session. A locked session of a seat counts, one in the background
    /// does not (sd_uid_get_state(3)).
    package var activeUsers: Set<UInt32> {
        var list: UnsafeMutablePointer<uid_t>?
        let count = sd_get_uids(&list)
        defer { free(list) }
        guard count > 0, let list else { return [] }
        var active: Set<UInt32> = []
        for index in 0..<Int(count) where LoginMonitor.isActive(list[index]) { active.insert(list[index]) }
        return active
    }

    private static func isActive(_ user: uid_t) -> Bool {
        var state: UnsafeMutablePointer<CChar>?
        guard sd_uid_get_state(user, &state) >= 0, let state else { return false }
        defer { free(state) }
        return strcmp(state, "active") == 0
    }

    deinit {
        source?.remove()
        sd_login_monitor_unref(monitor)
    }
}
