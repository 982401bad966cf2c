import Chronology
import Varlink

/// A command of a server.
package enum OwnTracksCommand: Sendable, Equatable {
    /// Report the position now.
    case reportLocation
    /// Set, replace or delete fences.
    case setWaypoints(RemoteFenceChange)
    /// Publish the list of fences.
    case waypoints
    /// A command that is not valid, or not allowed: the action, empty if it is not known, and the
    /// reason.
    case refused(action: String, reason: String)

    /// The name of the command on the wire.
    package var action: String {
        switch self {
        case .reportLocation: "reportLocation"
        case .setWaypoints: "setWaypoints"
        case .waypoints: "waypoints"
        case .refused(let action, _): action
        }
    }

    /// The maximum length of a command in bytes.
    package static let maxLength = 262_144

    /// Reads the message `cmd`.
    package init(_ bytes: [UInt8]) {
        guard bytes.count <= OwnTracksCommand.maxLength else {
            self = .refused(action: "", reason: "the command is longer than \(OwnTracksCommand.maxLength) bytes")
            return
        }
        guard let value = try? JSONValue(parsing: bytes, depthLimit: 8) else {
            self = .refused(action: "", reason: "the command is not JSON, or has more than 8 levels")
            return
        }
        guard value["_type"]?.string == "cmd", let action = value["action"]?.string else {
            self = .refused(action: "", reason: "a command needs _type cmd and an action")
            return
        }
        switch action {
        case "reportLocation": self = .reportLocation
        case "waypoints": self = .waypoints
        case "setWaypoints":
            if let count = value["waypoints"]?["waypoints"]?.array?.count, count > RemoteFenceChange.maxCount {
                self = .refused(
                    action: action,
                    reason: "the command has \(count) waypoints; send at most \(RemoteFenceChange.maxCount) at once")
                return
            }
            guard let change = RemoteFenceChange(value["waypoints"]) else {
                self = .refused(
                    action: action,
                    reason: "each waypoint needs desc, lat, lon and rad of 1 to 1000000 m; tst is in seconds since 1970"
                )
                return
            }
            self = .setWaypoints(change)
        default: self = .refused(action: String(action.prefix(64)), reason: "the device does not allow this action")
        }
    }
}

/// Limits the commands of a server, so that a hostile one cannot keep the device and the daemon
/// busy.
package struct CommandLimit: Sendable {
    /// The number of commands at once.
    package static let burst = 10
    /// The time in which one more command is allowed.
    package static let interval = Instant.Span.seconds(6)

    private var allowed = CommandLimit.burst
    private var since: Instant?

    /// Creates a limit that allows a burst.
    package init() {}

    /// Returns whether a command is carried out now, and counts it.
    package mutating func allows(at now: Instant) -> Bool {
        while let since, now - since >= CommandLimit.interval, allowed < CommandLimit.burst {
            allowed += 1
            self.since = since + CommandLimit.interval
        }
        if allowed == CommandLimit.burst { since = now }
        guard allowed > 0 else { return false }
        allowed -= 1
        return true
    }
}
