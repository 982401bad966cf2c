import Delivery
import Receivers
import Serial
import Wire

/// The observations of `sextant doctor`. ``Diagnosis`` interprets them.
struct Observations {
    /// The result of connecting to the daemon's socket.
    enum Socket: Equatable {
        /// The daemon replied and reported this version.
        case replied(version: String)
        /// There is nothing at the path.
        case missing
        /// No process listens on the socket.
        case refused
        /// This user has no permission to connect.
        case permissionDenied
        /// The reply is invalid or the connection failed in another way, as text.
        case failed(String)
    }

    /// The installation state of the service.
    enum Service: Equatable {
        /// systemd does not run here.
        case noSystemd
        /// The units are not installed.
        case notInstalled
        case installed
    }

    var socketPath: String
    var socket: Socket
    var service: Service
    /// The name of the user who runs the command.
    var user: String
    /// The checked port; nil if there is none.
    var port: Port?
    /// Serial ports without any hint of a receiver.
    var unlisted: [String] = []

    /// The port of a receiver.
    struct Port {
        var device: DeviceDescription
        /// Whether the path exists.
        var exists: Bool
        /// Whether the daemon has the port open and reports on it.
        var isOpenInDaemon: Bool
        var access: Access
        /// Programs other than the daemon that have the port open.
        var holders: [PortHolder] = []
        /// The receiver as reported by the daemon or as read from the port.
        var receiver: ReceiverMessage?
        var location: LocationMessage?
        var cause: UnavailableCause?
        /// How long the port was read, in seconds; nil if the daemon reports on it.
        var readSeconds: Double?
    }

    /// Whether the port can be opened: by the daemon if it serves the port, else by this user.
    enum Access: Equatable {
        case allowed
        /// No permission; `group` is the group that has it.
        case denied(group: String?)
    }
}
