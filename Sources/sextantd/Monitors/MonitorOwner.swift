import Glibc
import Systemd

/// Whose monitors these are: a user with a systemd service, else with an executable, as the kernel tells of the connection's process.
///
/// Only services count of all units: a login's scope has another name each time. Where the executable of another user's process may not be
/// read, which takes CAP_SYS_PTRACE (proc(5)), the user alone is the program; who runs as one user is not kept from what that user has anyway.
struct MonitorOwner: Hashable, Comparable, CustomStringConvertible {
    /// `1000:navigator.service`, `1000:user:navigator.service` for a service of that user's own manager, `1000:/usr/bin/navigator`, `1000`.
    let description: String
    /// The user it runs as.
    let user: UInt32

    /// The program at the other end of a connection.
    init(of peer: PeerCredentials) {
        self.init(peer, executable: MonitorOwner.executable(of: peer.process))
    }

    /// The same, for an executable that is known.
    init(_ peer: PeerCredentials, executable: @autoclosure () -> String?) {
        user = peer.user
        if let service = peer.userUnit, service.hasSuffix(".service") {
            description = "\(user):user:\(service)"
        } else if let service = peer.unit, service.hasSuffix(".service"), !service.hasPrefix("user@") {
            description = "\(user):\(service)"
        } else if let executable = executable() {
            description = "\(user):\(executable)"
        } else {
            description = "\(user)"
        }
    }

    /// The program that clients and the store name so; nil when the text names none.
    init?(_ text: String) {
        guard let user = text.split(separator: ":", maxSplits: 1).first.flatMap({ UInt32($0) }), text.utf8.count <= 4200 else { return nil }
        (description, self.user) = (text, user)
    }

    static func < (a: MonitorOwner, b: MonitorOwner) -> Bool { a.description < b.description }

    private static func executable(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard length > 0 else { return nil }
        let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // An executable that was replaced while it runs, by an upgrade for one, is still the same program.
        let gone = " (deleted)"
        return path.hasSuffix(gone) ? String(path.dropLast(gone.count)) : path
    }
}
