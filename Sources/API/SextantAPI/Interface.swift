/// A Varlink interface of the daemon. Raw values are the names on the wire, in the order of
/// `GetInfo`.
///
/// The texts are read from the files in `Interfaces/` and embedded in the programs. They document
/// the socket protocol.
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

    /// The text of the interface. It is not cached, because requests are rare.
    package var text: String {
        let bytes =
            switch self {
            case .location: PackageResources.io_sextant_Location_varlink
            case .receiver: PackageResources.io_sextant_Receiver_varlink
            case .manager: PackageResources.io_sextant_Manager_varlink
            case .monitor: PackageResources.io_sextant_Monitor_varlink
            case .session: PackageResources.io_sextant_Session_varlink
            case .permission: PackageResources.io_sextant_Permission_varlink
            case .agent: PackageResources.io_sextant_Agent_varlink
            }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the full name of a method or an error: "io.sextant.Location.Subscribe".
    package func name(of member: String) -> String { "\(rawValue).\(member)" }
}

/// The interface `io.sextant.Places`, of the service of places.
package enum PlacesInterface {
    /// The name of the interface.
    package static let name = "io.sextant.Places"
    /// The text of the interface.
    package static var text: String {
        String(decoding: PackageResources.io_sextant_Places_varlink, as: UTF8.self)
    }
}
