/// What a limit applies to. The type `Scope` of `io.sextant.Monitor` and `io.sextant.Manager`.
package enum LimitScope: String, Codable, Sendable, CaseIterable {
    /// One program.
    case program
    /// All programs of a user.
    case user
    /// All programs of all users.
    case all
}
