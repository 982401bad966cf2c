import Chronology
import Logging

/// What the daemon has been told, by flags and files; every value has a default that works.
struct Settings: Equatable {
    /// A port that is opened whatever it looks like, and waited for while it is absent.
    struct NamedPort: Equatable {
        /// Path; a symbolic link is followed at each opening.
        var device: String
        /// Bits per second; nil to find it by listening.
        var baud: Int?
        /// Never write to it.
        var passive = false
        /// How often it is kept warm; nil for ``Settings/keepWarm``.
        var keepWarm: Instant.Span?
        /// What clients see; nil for the last part of the path.
        var name: String?
    }

    /// Whether receivers are told how to work, and to rest.
    enum Power: String, CaseIterable {
        /// As the core plans.
        case auto
        /// Never, but to take back what an earlier run had set.
        case off
    }

    var socket = "/run/sextant/io.sextant"
    var state = "/var/lib/sextant"
    var logLevel = Logger.Level.info
    /// The administrator's own connections (user 0) are bounded by ``maxConnections`` alone.
    var maxConnectionsPerUser = 64
    var maxConnections = 4096
    var discover = true
    var power = Power.auto
    /// How often a receiver that nobody needs renews its orbits; nil for never.
    var keepWarm: Instant.Span?
    /// Conditions that are watched for one program at most, as with Apple; 0: any number.
    var maxConditionsPerProgram = 20
    /// Conditions that are kept for all programs together, watched or not.
    var maxConditions = 100_000
    var ports: [NamedPort] = []
    /// The files that were read, in order.
    var files: [String] = []

    /// The speeds a port may be set to.
    static let speeds = [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600]
}
