import Systemd

/// Whose monitors these are: a user, with a systemd service where there is one, as the kernel tells of the connection's process.
///
/// Only services count of all units: a login's scope has another name each time. Outside a service the user alone is the program. The
/// executable would tell more, but another user's may be read only with CAP_SYS_PTRACE (proc(5)), which the service has not, and who runs as
/// one user is not kept from what that user has anyway.
struct MonitorOwner: Hashable, Comparable, CustomStringConvertible {
    /// `998:navigator.service`, `1000:user:navigator.service` for a service of that user's own manager, `1000`.
    let description: String
    /// The user it runs as.
    let user: UInt32

    /// The program at the other end of a connection.
    init(of peer: PeerCredentials) {
        user = peer.user
        if let service = peer.userUnit, service.hasSuffix(".service") {
            description = "\(user):user:\(service)"
        } else if let service = peer.unit, service.hasSuffix(".service"), !service.hasPrefix("user@") {
            description = "\(user):\(service)"
        } else {
            description = "\(user)"
        }
    }

    /// The program that clients and the store name so; nil when the text names none.
    init?(_ text: String) {
        guard let user = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first.flatMap({ UInt32($0) }),
            text.utf8.count <= 4200
        else { return nil }
        (description, self.user) = (text, user)
    }

    static func < (a: MonitorOwner, b: MonitorOwner) -> Bool { a.description < b.description }
}
