import Delivery
import Receivers
import Serial
import Wire

/// Everything doctor has looked at; what it means is ``Diagnosis``'s to say.
struct Observations {
    /// How the daemon's socket answered.
    enum Socket: Equatable {
        /// It answers, with this version.
        case answers(version: String)
        /// Nothing is at its path.
        case missing
        /// Nobody listens at it.
        case refused
        /// This user may not connect.
        case forbidden
        /// It answers wrongly or fails in some other way, in words.
        case broken(String)
    }

    /// What the system knows of the service.
    enum Service: Equatable {
        /// There is no systemd here.
        case noSystemd
        /// Its units are not installed.
        case notInstalled
        case installed
    }

    var socketPath: String
    var socket: Socket
    var service: Service
    /// Who asks: the name of the user.
    var user: String
    /// The port that the rest is about; nil when there is none.
    var port: Port?
    /// Serial ports that nobody has said anything about.
    var unlisted: [String] = []

    /// The port of a receiver.
    struct Port {
        var device: DeviceDescription
        /// Whether anything is at its path.
        var exists: Bool
        /// Whether the daemon has it, and so tells of it.
        var isServed: Bool
        var access: Access
        /// Others than the daemon that have it open.
        var holders: [PortHolder] = []
        /// What was heard, by the daemon or by listening.
        var heard: ReceiverMessage?
        var location: LocationMessage?
        var cause: UnavailableCause?
        /// Seconds that were listened, where the daemon does not tell.
        var listened: Double?
    }

    /// Whether a port may be opened by whoever has to: the daemon where it serves the port, else this user.
    enum Access: Equatable {
        case allowed
        /// The group that may.
        case denied(group: String?)
    }
}
