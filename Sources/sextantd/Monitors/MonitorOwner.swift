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

    /// The maximum length of a unit's name in bytes (systemd.unit(5)).
    private static let maxUnitLength = 255
    /// The maximum length of a stored text form in bytes.
    private static let maxStoredLength = 4200

    /// What ``init(_:)`` accepts, for error messages.
    static let format =
        "a user ID without sign or leading zeros, alone or followed by \":\" and the name of a service unit, "
        + "such as 998:navigator.service or 1000:user:navigator.service"

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

    /// Parses the text form that ``init(of:)`` creates. Returns `nil` for any other spelling, so
    /// that each owner has exactly one.
    init?(_ text: String) {
        guard let owner = MonitorOwner(stored: text) else { return nil }
        let user = String(owner.user)
        guard text != user else {
            self = owner
            return
        }
        guard text.hasPrefix(user + ":") else { return nil }
        var unit = text.dropFirst(user.count + 1)
        if unit.hasPrefix("user:") { unit = unit.dropFirst("user:".count) }
        guard unit.utf8.count <= MonitorOwner.maxUnitLength, unit.hasSuffix(".service"), !unit.hasPrefix("."),
            unit.utf8.allSatisfy(MonitorOwner.isAllowedInUnit)
        else { return nil }
        self = owner
    }

    /// Parses a text form from the store, where earlier versions wrote other spellings. Returns
    /// `nil` if the text does not begin with a user.
    init?(stored text: String) {
        guard text.utf8.count <= MonitorOwner.maxStoredLength,
            let user = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first
                .flatMap({ UInt32($0) })
        else { return nil }
        description = text
        self.user = user
    }

    /// Returns whether a byte can occur in the name of a unit (systemd.unit(5)).
    private static func isAllowedInUnit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "\\"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    static func < (a: MonitorOwner, b: MonitorOwner) -> Bool { a.description < b.description }
}

/// Identifies a monitor by its owner and the owner's name for it.
struct MonitorKey: Hashable {
    var owner: MonitorOwner
    var name: String
}
