import CSystemd
import Glibc

/// The users with an active login session, as logind knows them.
///
/// It watches the files of logind, so it wakes the process only when logind starts, a user logs in
/// or out, or switches the session (sd-login(3)).
package final class LoginMonitor {
    /// logind creates the first seat when it starts, and systemd the folders without it.
    private static let firstSeat = "/run/systemd/seats/seat0"

    private var monitors: [OpaquePointer] = []
    private var sources: [IOSource] = []

    /// Starts to watch logind.
    ///
    /// - Parameter changed: Called when the users may have changed.
    package init(loop: EventLoop, changed: @escaping () -> Void) {
        for category in ["uid", "seat"] {
            var created: OpaquePointer?
            guard sd_login_monitor_new(category, &created) >= 0, let monitor = created else { continue }
            monitors.append(monitor)
            let descriptor = sd_login_monitor_get_fd(monitor)
            guard descriptor >= 0 else { continue }
            let source = try? loop.watch(descriptor, for: .readable) { _ in
                sd_login_monitor_flush(monitor)
                changed()
            }
            if let source { sources.append(source) }
        }
    }

    /// The users with an active session; `nil` while logind does not run. A locked session of a
    /// seat counts, one in the background does not (sd_uid_get_state(3)).
    package var activeUsers: Set<UInt32>? {
        guard access(LoginMonitor.firstSeat, F_OK) == 0 else { return nil }
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
        for source in sources { source.remove() }
        for monitor in monitors { sd_login_monitor_unref(monitor) }
    }
}
