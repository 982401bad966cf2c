import Glibc

/// What the system says of the service and of users and groups.
enum SystemService {
    /// Where systemd looks for units, by systemd.unit(5).
    private static let unitDirectories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
    ]

    /// Whether the units are installed. /run/systemd/system is the sign of a running systemd (sd_booted(3)).
    static var state: Observations.Service {
        guard access("/run/systemd/system", F_OK) == 0 else { return .noSystemd }
        return unitDirectories.contains { access($0 + "/sextantd.service", F_OK) == 0 } ? .installed : .notInstalled
    }

    /// Name of the user who runs this, or the number of one without a name.
    static var user: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "user \(geteuid())"
    }

    /// The group whose members may read a file; nil when there is no such file, when they may not either, and for root's, which nobody
    /// should join.
    static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IRGRP != 0, status.st_gid != 0 else { return nil }
        return getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
    }
}
