import Chronology
import Geofencing
import Glibc
import Locator
import Logging
import Permission
import Positioning
import Settings
import SystemCalls

/// The settings of the daemon from flags and files. Every setting has a working default.
struct Settings: Equatable {
    /// A configured port. It is opened regardless of its device type, and awaited while absent.
    struct NamedPort: Equatable {
        /// The path. A symbolic link is resolved at each opening.
        var device: String
        /// The baud rate; `nil` to detect it from the received data.
        var baud: Int?
        /// Whether the daemon never writes to the port.
        var passive = false
        /// The interval of ephemeris refreshes; `nil` for ``Settings/keepWarm``.
        var keepWarm: Instant.Span?
        /// The name shown to clients; `nil` for the last path component.
        var name: String?
    }

    /// Whether the daemon configures receivers and puts them to sleep.
    enum Power: String, CaseIterable {
        /// According to the plans of the core.
        case auto
        /// Never, except to restore settings that an earlier run changed.
        case off
    }

    var socket = ServiceSocket.daemon
    var state = StateDirectory.standard
    var logLevel = Logger.Level.info
    /// The maximum number of connections per program. Only ``maxConnections`` limits the
    /// administrator (user 0).
    var maxConnectionsPerProgram = 64
    /// The maximum number of connections per user, in the same way.
    var maxConnectionsPerUser = 1024
    var maxConnections = 4096
    /// The maximum number of updates of a stream per second of the host's clock, on average.
    var maxUpdatesPerSecond = 20
    var discover = true
    var power = Power.auto
    /// What receivers are given for faster starts.
    struct Assistance: Equatable {
        /// Whether they are told the time and the last place before their first fix.
        var timeAndPlace = true
        /// Whether they predict orbits.
        var prediction = false
        /// Whether their navigation databases are kept and given back after a loss of power.
        var database = true
        /// The directory with the owner's files; nil for none.
        var folder: String?
    }

    var assistance = Assistance()
    /// Whether receivers that send a binary protocol may be switched to NMEA.
    var rescues = true
    /// The interval of ephemeris refreshes of a receiver without demand; `nil` for none.
    var keepWarm: Instant.Span?
    /// The maximum number of monitored conditions per program, the same as Apple's limit; 0 for no
    /// limit.
    var maxConditionsPerProgram = 20
    /// The maximum number of stored conditions of all programs, monitored or not.
    var maxConditions = 100_000
    /// The programs that may read the monitors of all users, and those that may also change them.
    var monitorReaders = ProgramSet()
    var monitorEditors = ProgramSet()
    /// What motion sources are used for, and the programs that may report motion.
    var motionPolicy = MotionUse.auto
    var motionReporters = ProgramSet()
    var motionSources: [MotionSetting] = []
    /// The fixed place of the device; `nil` if receivers provide its location.
    var station: Station?
    /// The time without an advertisement after which a beacon is absent.
    var beaconAbsence = BeaconTable.defaultAbsence
    /// How long visits are kept; zero if they are not.
    var visitLifetime = Instant.Span.seconds(90 * 86_400)
    /// How long the track is kept; zero if there is none.
    var trackLifetime = Instant.Span.zero
    /// Who may know the location.
    var permissions = PermissionPolicy()
    var ports: [NamedPort] = []
    /// The users that may provide receivers; by default those of the bridges.
    var feedUsers = Set(["sextant-inlet", "sextant-modem"].compactMap(LocalUser.id(named:)))
    /// The files that were read, in order.
    var files: [String] = []
}

/// Programs that the configuration names: all of a user, or a service of the system whatever its
/// user.
struct ProgramSet: Equatable {
    var users: Set<UInt32> = []
    /// Units of the system's manager, which only the administrator can start under these names.
    var units: Set<String> = []

    func contains(_ program: ProgramID) -> Bool {
        users.contains(program.user) || program.qualifiedUnit.map(units.contains) ?? false
    }
}

/// The sources of the settings: the main file, its drop-ins and the flags. Later sources override
/// earlier ones.
struct SettingsSources {
    /// The file specified by `--config`, which must exist. With it, no drop-ins are read.
    var file: String?
    var socket: String?
    var state: String?
    var devices: [String] = []
    /// Whether the sections of other programs are checked too.
    var checksOthers = false

    /// Returns the defaults with all sources applied.
    func load() throws(ConfigurationError) -> Settings {
        var settings = Settings()
        if let file {
            try read(file, into: &settings)
        } else {
            for path in try ConfigurationFiles.standard() { try read(path, into: &settings) }
        }
        if let socket { settings.socket = socket }
        if let state { settings.state = state }
        if !devices.isEmpty {
            // Ports on the command line replace discovery and configured ports.
            settings.discover = false
            settings.ports = devices.map { Settings.NamedPort(device: $0) }
        }
        return settings
    }

    private func read(_ path: String, into settings: inout Settings) throws(ConfigurationError) {
        try SettingsFile(ConfigurationFiles.read(path)).apply(to: &settings, checksOthers: checksOthers)
    }
}
