import Chronology

/// Identifies a declared session, a lease, a stream or a monitor between the caller and the table.
package struct PermissionClientID: Sendable, Hashable {
    /// A number the caller chooses, unique for the lifetime of the process.
    package var rawValue: Int
    package init(_ rawValue: Int) { self.rawValue = rawValue }
}

extension SessionRequirement: Comparable {
    /// Returns whether the first needs less than the second.
    public static func < (a: SessionRequirement, b: SessionRequirement) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .whenInUse: 1
        case .always: 2
        case .unknown: 3
        }
    }
}

/// What a program declares that it needs, while a connection is open.
struct ServiceSession: Sendable, Equatable {
    var program: ProgramID
    var requirement: SessionRequirement
    /// The purpose for which the session needs full accuracy.
    var purpose: String?
    /// Why the program wants the location, for its user.
    var usageDescription: String?
    /// Whether the session counts. A session that requires `always` must begin while the program is
    /// in use, as with Apple.
    var isEffective: Bool
}

/// A lease: the program counts as in use while it holds one, and for a grace period after its
/// connection ended, so that it survives a restart of the program.
struct Lease: Sendable, Equatable {
    /// The connection that holds it; `nil` in the grace period.
    var holder: PermissionClientID?
    /// The end of the grace period; `nil` while it is held.
    var end: Instant?
    /// When the lease began, by the host's clock.
    var since: UTCTime
}
