/// The Varlink interfaces, as the files beside this one hold them; embedded in the programs, they are the documentation of the socket.
public enum Interfaces {
    /// `io.sextant.Location`.
    public static var location: String { String(decoding: PackageResources.io_sextant_Location_varlink, as: UTF8.self) }
    /// `io.sextant.Receiver`.
    public static var receiver: String { String(decoding: PackageResources.io_sextant_Receiver_varlink, as: UTF8.self) }
    /// `io.sextant.Manager`.
    public static var manager: String { String(decoding: PackageResources.io_sextant_Manager_varlink, as: UTF8.self) }
    /// `io.sextant.Monitor`.
    public static var monitor: String { String(decoding: PackageResources.io_sextant_Monitor_varlink, as: UTF8.self) }
    /// All of them.
    public static var all: [String] { [location, receiver, manager, monitor] }

    /// Their names, in the order in which they are told.
    public static var names: [String] { ["io.sextant.Location", "io.sextant.Receiver", "io.sextant.Manager", "io.sextant.Monitor"] }

    /// The text of the interface of that name; nil where there is none. Made anew each time: few ask, and kept it would be memory for nothing.
    public static func text(of name: String) -> String? {
        switch name {
        case "io.sextant.Location": location
        case "io.sextant.Receiver": receiver
        case "io.sextant.Manager": manager
        case "io.sextant.Monitor": monitor
        default: nil
        }
    }
}
