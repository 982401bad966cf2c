import Systemd

/// The owner of monitors: a user and, if present, a program of that user. Both are derived from the
/// kernel's information about the peer process.
///
/// The program is the systemd unit of the process under a name that is the same at each launch
/// (``ProgramUnit``). A unit that identifies no program, such as the scope of a login, does not
/// count: the user alone is the owner. The executable would be more specific, but reading another
/// user's needs CAP_SYS_PTRACE (proc(5)), which the service lacks. A process may access its user's
/// data anyway.
struct MonitorOwner: Hashable, Comparable, CustomStringConvertible {
    /// The text form: `998:navigator.service`, `1000:user:navigator.service` for a unit of the
    /// user's own manager, or `1000`.
    let description: String
    /// The user that the program runs as.
    let user: UInt32

    /// Creates the owner from the peer of a connection.
    init(of peer: PeerCredentials) {
        user = peer.user
        if let unit = peer.userUnit.flatMap({ ProgramUnit.stableName(ofUserUnit: $0) }) {
            description = "\(user):user:\(unit)"
        } else if let unit = peer.unit.flatMap({ ProgramUnit.stableName(ofSystemUnit: $0) }) {
            description = "\(user):\(unit)"
        } else {
            description = "\(user)"
        }
    }

    /// Parses the text form that clients and the store use. Returns `nil` if the text is invalid.
    init?(_ text: String) {
        guard
            let user = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first.flatMap({
                UInt32($0)
            }),
            text.utf8.count <= 4200
        else { return nil }
        (description, self.user) = (text, user)
    }

    static func < (a: MonitorOwner, b: MonitorOwner) -> Bool { a.description < b.description }
}

/// Identifies a monitor by its owner and the owner's name for it.
struct MonitorKey: Hashable {
    var owner: MonitorOwner
    var name: String
}
