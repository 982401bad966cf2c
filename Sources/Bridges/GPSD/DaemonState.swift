import Chronology
import Positioning
import Wire

/// What the daemon has reported last.
struct DaemonState {
    /// The position; nil if there is none.
    private(set) var location: LocationMessage?
    /// The receivers as gpsd's devices, in the daemon's order.
    private(set) var devices: [DeviceReport] = []
    /// Whether the stream of receivers has begun, or has failed.
    private(set) var hasReceivers = false
    /// Whether the stream of locations has begun, or has failed.
    private(set) var hasUpdate = false
    /// Whether the satellites have not been reported to clients that watch.
    var isSkyNew = false
    /// The direction of the device that has not been reported yet.
    private(set) var attitude: HeadingMessage?
    private var receivers: [ReceiverMessage] = []
    private var lostSince: Instant?

    /// How long the last position counts after the connection to the daemon was lost. A restart of
    /// the daemon takes less.
    private static let lossLimit = Instant.Span.seconds(5)
    /// The age in seconds up to which the first position of a stream is the present one.
    private static let maxAge = 10.0

    /// The receiver of the location, else the primary one, else the first.
    var receiver: ReceiverMessage? {
        receivers.first { $0.name == location?.receiver } ?? receivers.first { $0.isPrimary } ?? receivers.first
    }

    /// The path of ``receiver``'s port.
    var device: String? { receiver?.port }

    /// Returns the path of the port of a receiver.
    func port(ofReceiver name: String) -> String? { receivers.first { $0.name == name }?.port }

    mutating func receive(_ update: SubscribeReply) {
        (hasUpdate, lostSince) = (true, nil)
        guard let new = update.location, update.locationUnavailable != true else {
            // Updates about rest have no position and change none.
            if update.locationUnavailable == true || !update.permission.isEmpty { location = nil }
            return
        }
        let isOld = (update.age ?? 0) > DaemonState.maxAge
        let isValid = update.stationary == true || new.accuracySource == .reduced
        location = isOld && !isValid ? nil : new
    }

    /// Returns the devices that have changed.
    mutating func receive(_ reply: ReceiversReply, at time: String) -> [DeviceReport] {
        let isFirst = !hasReceivers
        (hasReceivers, isSkyNew) = (true, true)
        receivers = reply.receivers
        let earlier = devices
        devices = receivers.map { receiver in
            DeviceReport(receiver, after: earlier.first { $0.path == receiver.port }, at: time)
        }
        guard !isFirst else { return [] }
        let opened = devices.filter { device in
            (earlier.first { $0.path == device.path }?.activated == nil) != (device.activated == nil)
        }
        let removed = earlier.filter { old in !devices.contains { $0.path == old.path } }
        return opened + removed.map(DeviceReport.init(removed:))
    }

    mutating func receive(_ reply: WatchHeadingReply) { attitude = reply.heading }

    mutating func attitudeWasReported() { attitude = nil }

    mutating func endUpdates() { (hasUpdate, location, attitude) = (false, nil, nil) }

    mutating func endReceivers() { hasReceivers = false }

    mutating func lose(at now: Instant) {
        (hasReceivers, hasUpdate) = (true, true)
        if lostSince == nil { lostSince = now }
    }

    /// Forgets the position of a daemon that is gone.
    mutating func expire(at now: Instant) {
        guard let lostSince, now - lostSince >= DaemonState.lossLimit else { return }
        location = nil
    }
}
