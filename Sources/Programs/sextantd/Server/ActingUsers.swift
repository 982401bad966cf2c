import Glibc
import SystemCalls

/// The users whose programs may act for other programs: the administrator, the user of the daemon,
/// and that of `sextant-places`.
struct ActingUsers {
    /// The user of `sextant-places`; nil if there is none. Looked up once, when it matters first.
    private lazy var places: UInt32? = LocalUser.id(named: "sextant-places")

    /// Returns whether programs of a user may act for others.
    mutating func contains(_ user: UInt32) -> Bool { user == 0 || user == geteuid() || isPlaces(user) }

    /// Returns whether this is the user of `sextant-places`.
    mutating func isPlaces(_ user: UInt32) -> Bool { user == places }
}
