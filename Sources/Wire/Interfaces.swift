/// The Varlink interfaces, as the files beside this one hold them; embedded in the programs, they are the documentation of the socket.
public enum Interfaces {
    /// `io.sextant.Location`.
    public static let location = String(decoding: PackageResources.io_sextant_Location_varlink, as: UTF8.self)
    /// `io.sextant.Receiver`.
    public static let receiver = String(decoding: PackageResources.io_sextant_Receiver_varlink, as: UTF8.self)
    /// `io.sextant.Manager`.
    public static let manager = String(decoding: PackageResources.io_sextant_Manager_varlink, as: UTF8.self)
    /// `io.sextant.Monitor`.
    public static let monitor = String(decoding: PackageResources.io_sextant_Monitor_varlink, as: UTF8.self)
    /// All of them.
    public static let all = [location, receiver, manager, monitor]
}
