/// A Varlink interface of the daemon. Raw values are the names on the wire, in the order of
/// `GetInfo`.
///
/// The texts in `Interfaces/` document the socket protocol. The targets of the services embed them,
/// so that programs with the libraries do not have them.
package enum Interface: String, Sendable, CaseIterable {
    /// Positions, visits and single locations.
    case location = "io.sextant.Location"
    /// Receivers and their satellites.
    case receiver = "io.sextant.Receiver"
    /// The daemon: its status, its active requests and the energy use of receivers.
    case manager = "io.sextant.Manager"
    /// Monitors with conditions and their events.
    case monitor = "io.sextant.Monitor"
    /// What a program may know, and what it declares that it needs.
    case session = "io.sextant.Session"
    /// Who may know the location: decisions, the switch and the record of use.
    case permission = "io.sextant.Permission"
    /// Agents that ask the user.
    case agent = "io.sextant.Agent"

    /// Returns the full name of a method or an error: "io.sextant.Location.Subscribe".
    package func name(of member: String) -> String { "\(rawValue).\(member)" }
}

/// The interface `io.sextant.Places`, of the service of places.
package enum PlacesInterface {
    /// The name of the interface.
    package static let name = "io.sextant.Places"
}
