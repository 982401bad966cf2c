import Chronology
import Glibc
import Locator
import Positioning
import Systemd
import Varlink
import Wire

/// What `io.sextant.Manager` and the service manager are told.
extension Daemon {
    /// One sentence for `systemctl status` and `sextant status`.
    var summary: String {
        let reports = locator.reports(at: loop.now)
        guard let first = reports.first(where: \.isChosen) ?? reports.first else { return "No receiver has been found" }
        let others = reports.count > 1 ? " and \(reports.count - 1) more" : ""
        if first.health == .fixing { return "\(first.name)\(others): fix" }
        return "\(first.name)\(others): \(first.detail ?? first.health.rawValue)"
    }

    var status: StatusMessage {
        let now = loop.now
        let reports = locator.reports(at: now)
        var status = StatusMessage(
            version: SextantVersion.current, pid: Int(getpid()), uptime: (now - started).seconds, socket: socketPath, summary: summary)
        status.stateDirectory = settings.state
        status.configuration = settings.files
        status.connections = server.count
        status.restingSince = locator.restingSince(at: now)?.description
        status.streams = locator.streamCount
        status.receivers = reports.count
        status.receiversFixing = reports.count { $0.health == .fixing }
        let open = server.holding { $0 == .stream }.map(\.connection.updates)
        let published = open.reduce(closedUpdates.published) { $0 + $1.published }
        status.updatesDropped = open.reduce(closedUpdates.dropped) { $0 + $1.dropped }
        status.updatesSent = published - status.updatesDropped
        status.wakeups = Int(clamping: loop.wakeups)
        if fixes > 0 { status.wakeupsPerFix = (Double(status.wakeups) / Double(fixes) * 1000).rounded() / 1000 }
        let minutes = (now - started).seconds / 60
        if minutes >= 1 { status.wakeupsPerMinute = (Double(status.wakeups) / minutes * 10).rounded() / 10 }
        return status
    }
}
