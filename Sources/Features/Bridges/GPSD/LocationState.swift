import Chronology
import SextantAPI

/// What the daemon has reported last about the position of one receiver, or of the device.
struct LocationState {
    /// The position; nil if there is none.
    private(set) var location: Location?
    /// Whether the stream of locations has begun, or has failed.
    private(set) var hasUpdate = false
    /// Whether the satellites have not been reported to clients that watch.
    var isSkyNew = false
    /// When clients that watch last got a report; nil without such a client.
    var lastReport: Instant?
    /// Whether the newest location is being requested.
    private(set) var isRequested = false
    private var lostSince: Instant?
    /// When the daemon last reported the newest location.
    private var checkedAt: Instant?

    /// How long the last position counts after the connection to the daemon was lost. A restart of
    /// the daemon takes less.
    private static let lossLimit = Instant.Span.seconds(5)
    /// The age in seconds up to which the first position of a stream is the present one.
    private static let maxAge = 10.0
    /// How long a location counts as the newest for clients that poll. A stream may be quiet, or
    /// report less often than the receiver.
    private static let pollAge = Instant.Span.seconds(1)

    /// Creates the state before the first report.
    init() {}

    /// Processes an update of the stream.
    ///
    /// - Parameter now: Needed for ``needsRequest(at:)`` alone.
    mutating func receive(_ update: SubscribeReply, at now: Instant? = nil) {
        hasUpdate = true
        lostSince = nil
        checkedAt = now
        guard let new = update.location, update.locationUnavailable != true else {
            // Updates about rest have no position and change none.
            if update.locationUnavailable == true || !update.permission.isEmpty { location = nil }
            return
        }
        let isOld = (update.age ?? 0) > LocationState.maxAge
        let isValid = update.stationary == true || new.accuracySource == .reduced
        location = isOld && !isValid ? nil : new
    }

    /// Whether to request the newest location for a client that polls.
    func needsRequest(at now: Instant) -> Bool {
        guard location != nil, lostSince == nil, !isRequested, let checkedAt else { return false }
        return now - checkedAt >= LocationState.pollAge
    }

    /// Records that the newest location is requested.
    mutating func request() { isRequested = true }

    /// Records the answer: the newest location, or nil if the daemon gave none.
    ///
    /// A location does not end that the stream has none: the daemon also gives its last one.
    mutating func receive(newest: Location?, at now: Instant) {
        (isRequested, checkedAt) = (false, now)
        if location != nil, let newest { location = newest }
    }

    mutating func end() {
        hasUpdate = false
        location = nil
        checkedAt = nil
        isRequested = false
    }

    mutating func lose(at now: Instant) {
        (hasUpdate, isRequested) = (true, false)
        if lostSince == nil { lostSince = now }
    }

    /// Forgets the position of a daemon that is gone.
    mutating func expire(at now: Instant) {
        guard let lostSince, now - lostSince >= LocationState.lossLimit else { return }
        location = nil
    }
}
