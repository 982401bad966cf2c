import Chronology

/// What an ``Uplink`` reports.
enum UplinkEvent {
    /// The server can be sent to.
    case connected
    /// The broker has sent all that waited for the device before this connection, and the device
    /// has survived it.
    case caughtUp
    /// The server has acknowledged records, with the number of bytes of their message.
    case delivered([Int64], bytes: Int)
    /// The server has refused one record, and can be reached.
    case refused(Int64, reason: String)
    /// The server has acknowledged the fences with this hash.
    case fencesDelivered(hash: Int64)
    /// The server requests something.
    case command(OwnTracksCommand)
    /// The server cannot be reached; another attempt follows by itself.
    case lost(reason: String)
}

/// The connection to one server, which is made again by itself.
protocol Uplink: AnyObject {
    /// Whether records can be sent.
    var isReady: Bool { get }
    /// The maximum number of unacknowledged records.
    var maxInFlight: Int { get }
    /// When ``tick(at:)`` must be called; nil if no time is set.
    var deadline: Instant? { get }
    /// Acts if it is time.
    func tick(at now: Instant)
    /// Sends a record of a device in this state. Returns whether it is on its path to the server.
    ///
    /// - Parameter trigger: Why a position is sent; nil: automatic.
    func send(_ record: FleetRecord, of state: DeviceState, trigger: OwnTracks.Trigger?) -> Bool
    /// Sends several positions in one message. Returns whether it is on its path to the server.
    func send(track: [(sequence: Int64, point: FleetPoint)]) -> Bool
    /// Sends a position that the server requested again.
    func sendRequested(_ record: FleetRecord, of state: DeviceState)
    /// Sends the result of a command, with the fences that servers have set, and all fences.
    func sendResult(_ result: CommandResult, fences: [RemoteFence], all: [Waypoint])
    /// Sends fences of monitors: all of them, or those that have changed. The hash of all is
    /// reported when the server has acknowledged them.
    func send(_ fences: [ReportedFence], areAll: Bool, hash: Int64)
}

struct CommandResult {
    var action: String
    /// Why the command was refused; nil if it was carried out.
    var refusal: String?
    var listsFences = true
}
