import Permission
import Receivers
import SerialPorts
import SextantAPI

/// The observations of `sextant doctor`. ``Diagnosis`` interprets them.
struct Observations {
    /// The result of connecting to the daemon's socket.
    enum Socket: Equatable {
        /// The daemon replied and reported this version.
        case replied(version: String)
        /// The daemon cannot start, because ``Observations/configuration`` is invalid.
        case cannotStart
        /// There is nothing at the path.
        case missing
        /// No process listens on the socket.
        case refused
        /// This user has no permission to connect to the socket.
        case permissionDenied
        /// This user has no permission to use this directory, which the socket is in.
        case directoryDenied(String)
        /// The daemon accepts connections and does not reply.
        case hung(HungDaemon)
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

    /// The daemon's configuration files, as they are now.
    enum Configuration: Equatable {
        /// The files are valid. Without files, the daemon uses its built-in settings.
        case valid(files: [String])
        case invalid(ConfigurationProblem)
        /// The files were not checked, for this reason.
        case unknown(reason: String)
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
    /// The USB numbers of a converter that `brltty` has taken; nil if it has taken none.
    var converterOfBraille: String?
    /// What the program that runs the doctor may know; nil if the daemon does not report it.
    var permission: ProgramPermission?
    var configuration = Configuration.unknown(reason: "not checked")
    /// The daemon's state on disk; nil if it does not report it.
    var state: StoredState?
    /// The state directory; nil if the daemon does not report it.
    var stateDirectory: String?
    /// Programs other than the daemon that have its database open, as far as this user sees them.
    var databaseHolders: [PortHolder] = []
    /// The fixed place of the configuration; nil if there is none.
    var station: StationReport?
    /// Whether the daemon uses receivers that no configuration names; nil if it does not report it.
    var discovers: Bool?
    /// Where the configuration sets the baud rate of the checked port, as "FILE:LINE".
    var baudPlace: (file: String, line: Int)?
    /// The time since the daemon started, in seconds; nil if it does not report it.
    var uptime: Double?
    /// Whether an active request needs positions; nil if the daemon does not report it.
    var isPositionNeeded: Bool?
    /// The time after which a state that should be short is a problem, in seconds. The doctor
    /// watches such a state for this long.
    var watchLimit = 15.0

    /// Whether the daemon runs and serves clients.
    var isDaemonRunning: Bool { if case .replied = socket { true } else { false } }

    /// Whether the daemon runs and does not reply.
    var isDaemonHung: Bool { if case .hung = socket { true } else { false } }

    /// What a program may know.
    struct ProgramPermission: Equatable {
        var message: Permission

        /// Why the program gets no location, or a reduced one.
        private var flags: PermissionFlags { message.permission }
        /// Whether the program gets no location.
        var isDenied: Bool { !flags.isDisjoint(with: .blocking) }
        /// Whether the program gets a reduced location.
        var isReduced: Bool { !isDenied && flags.contains(.accuracyLimited) }
        /// Whether location is switched on for the device.
        var isEnabled: Bool { !flags.contains(.authorizationDeniedGlobally) }
        /// What the program may know, and what decided.
        var allowed: String {
            PermissionText.allowed(message.authorization, accuracy: isReduced ? .reduced : .full)
                + ", decided by \(ProgramFormatter.sentence(message.decidedBy))"
        }
    }

    /// The port of a receiver.
    struct Port {
        var device: DeviceDescription
        var exists: Bool
        /// Whether the daemon has the port open and reports on it.
        var isOpenInDaemon: Bool
        var access: Access
        /// Whether the path leads to a serial port, if it exists.
        var isSerialPort = true
        /// Programs other than the daemon that have the port open, as far as this user sees them.
        var holders: [PortHolder] = []
        /// Whether the kernel writes its messages to the port.
        var isKernelConsole = false
        /// Whether the port could not be opened because a program that this user does not see has
        /// claimed it.
        var isHeldInvisibly = false
        /// The receiver as reported by the daemon or as read from the port.
        var receiver: Receiver?
        /// What the daemon reports on a port on which it has confirmed no receiver.
        var unconfirmed: UnconfirmedPort?
        var location: Location?
        var cause: Cause?
        /// How long the port was read, in seconds; nil if the daemon reports on it.
        var readSeconds: Double?
        /// The time since the device was connected, in seconds; nil if the system does not record
        /// it.
        var secondsPresent: Double?
        /// How long the doctor has watched the daemon's reports on the port, in seconds.
        var watchedSeconds = 0.0
        /// The lines that arrived in that time; nil if it was not needed.
        var recentLines: ReceivedLines?

        /// Whether the daemon handles the port. The rights of the user who runs the doctor are then
        /// irrelevant.
        var isHandledByDaemon: Bool { isOpenInDaemon || unconfirmed != nil }
    }

    /// Whether the port can be opened: by the daemon if it serves the port, else by this user.
    enum Access: Equatable {
        case allowed
        /// No permission; `group` is the group that has it.
        case denied(group: String?)
    }
}

/// How long things have lasted.
extension Observations {
    /// The time in which the daemon checks a new port for GNSS data, in seconds: its limit of 60 s
    /// after the first byte, and some for opening the port.
    static let detectionTime = 75.0

    /// The time for which the daemon can have used a port, in seconds.
    func serviceTime(of port: Port) -> Double {
        min(uptime ?? .infinity, port.secondsPresent ?? .infinity)
    }

    /// The time for which a receiver can have searched for satellites, in seconds. A reload of the
    /// configuration begins its epochs again.
    func searchTime(of port: Port) -> Double {
        guard let receiver = port.receiver, let rate = receiver.rate, rate > 0 else { return serviceTime(of: port) }
        return min(serviceTime(of: port), Double(receiver.counts.epochs) / rate)
    }

    /// Whether the daemon is still checking whether an unlisted port has a receiver. It lists a
    /// converter only when that is confirmed.
    func isBeingDetected(_ port: Port) -> Bool {
        if let unconfirmed = port.unconfirmed { return unconfirmed.state == .detectingBaudRate }
        guard isDaemonRunning, !port.isOpenInDaemon, port.device.kind.opensAutomatically else { return false }
        if port.holders.contains(where: { $0.command == "sextantd" }) { return true }
        // A program that cannot be seen may be the daemon: a user sees only his own processes.
        return port.holders.isEmpty && serviceTime(of: port) < Observations.detectionTime
    }
}
