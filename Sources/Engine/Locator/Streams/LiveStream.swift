import Chronology
import Geodesy
import Positioning

/// The parameters of a stream that a client subscribes to.
public struct StreamRequest: Sendable, Equatable {
    /// The purpose of the stream.
    public var configuration: Configuration
    /// The receivers to use.
    public var receiver: ReceiverSelection
    /// Further options of the stream.
    public var options: StreamOptions

    /// Creates a stream request.
    public init(
        configuration: Configuration = .default, receiver: ReceiverSelection = .best,
        options: StreamOptions = StreamOptions()
    ) {
        self.configuration = configuration
        self.receiver = receiver
        self.options = options
    }
}

/// One open stream.
struct LiveStream: Sendable {
    /// How a fix is delivered to a stream: unmarked, marked as the start of movement, or marked as
    /// stationary.
    enum DeliveryKind { case unmarked, departed, resting }

    let id: RequestID
    let receiver: ReceiverSelection
    /// The demand of the stream on its receivers; nil for a passive stream.
    let demand: Demand?
    /// The threshold of the motion detector that the stream uses; nil if the stream does not
    /// pause while stationary.
    let threshold: StationaryThreshold?
    var filter: StreamFilter
    private var track: StreamTrack?
    private var batch: UpdateBatch?
    /// The receiver of the last published fix.
    private var source: ReceiverID?
    /// Whether the last update with a position reported the device as stationary.
    private var isReportedStationary = false
    /// The start of the stationary period that the stream last reported.
    private(set) var restingSince: UTCTime?

    init(id: RequestID, request: StreamRequest, after last: UTCTime? = nil) {
        self.id = id
        receiver = request.receiver
        let options = request.options
        demand = options.demand(request.configuration)
        threshold = options.pausesWhenStationary ? request.configuration.threshold : nil
        filter = StreamFilter(configuration: request.configuration, options: options, after: last)
        track = StreamTrack(options.tolerance)
        batch = UpdateBatch(options.maximumDelay)
    }

    /// Whether the stream holds updates before it publishes them.
    var holdsUpdates: Bool { track != nil || batch != nil }

    /// When ``heldUpdates(at:all:)`` must be called; nil if no updates are held.
    var deadline: Instant? { earliest(track?.deadline, batch?.deadline) }

    /// Adds an update. Returns the updates to publish now, oldest first.
    mutating func hold(_ update: Update, at now: Instant) -> [Update] {
        let needed = track?.add(update, at: now) ?? [update]
        return batched(needed, at: now)
    }

    /// Returns the held updates that are due at `now`, or all of them.
    mutating func heldUpdates(at now: Instant, all: Bool) -> [Update] {
        let needed = (all ? track?.finish(at: now) : track?.tick(at: now)) ?? []
        let due = batched(needed, at: now)
        return due + ((all ? batch?.flush(at: now) : batch?.tick(at: now)) ?? [])
    }

    private mutating func batched(_ updates: [Update], at now: Instant) -> [Update] {
        if batch == nil { return updates }
        var due: [Update] = []
        for update in updates { due += batch?.add(update, at: now) ?? [] }
        return due
    }

    /// Whether the stream needs each fix without delay.
    var needsLowLatency: Bool { demand?.isLowLatency == true && !filter.isPaused }

    func usesMotionDetector(_ threshold: StationaryThreshold, for receiver: ReceiverSelection) -> Bool {
        self.threshold == threshold && self.receiver == receiver
    }

    /// Records the first update of the stream, which is the current state.
    mutating func begin(with update: Update, from source: ReceiverID?, at now: Instant) {
        if let location = update.location, let source { _ = admits(location, from: source, at: now) }
        _ = track?.add(update, at: now)
        if let reason = update.unavailability { _ = filter.admits(reason) }
    }

    /// Processes a change between stationary and moving. Returns the update for this stream, or
    /// nil if there is none.
    ///
    /// - Parameters:
    ///   - location: The last location.
    ///   - moment: The instant of that location.
    mutating func process(_ action: MotionAction, last location: ReceiverFix, at moment: Instant) -> Update? {
        guard case .pause(let place)? = filter.process(action) else { return nil }
        let update = Update(location, restingAt: place, at: moment)
        isReportedStationary = true
        restingSince = update.stationarySince
        return update
    }

    /// Forgets where the device rests. A paused stream continues, and reports no departure.
    mutating func forgetPlace(at now: Instant) {
        _ = filter.process(.becameMoving(since: now))
        isReportedStationary = false
        restingSince = nil
    }

    /// Returns how the stream delivers the fix of this location, or nil if it does not. After a
    /// change of the receiver, fixes older than the last one are dropped.
    mutating func admits(_ location: ReceiverFix, from source: ReceiverID, at now: Instant) -> DeliveryKind? {
        let fix = location.fix
        if filter.isPaused { return filter.takeRecovery() ? isReportedStationary ? .resting : .unmarked : nil }
        guard self.source == source || !filter.isOutdated(fix, age: location.age), filter.admits(fix, at: now) else {
            return nil
        }
        self.source = source
        guard isReportedStationary else { return .unmarked }
        isReportedStationary = false
        return .departed
    }
}

/// Updates held for joint delivery, for a stream that prefers few wakeups to low latency.
public struct UpdateBatch: Sendable {
    /// The maximum number of held updates. A full batch is delivered early and loses nothing.
    public static let maxCount = 512

    /// The maximum time for which the oldest update may be held.
    public let maximumDelay: Instant.Span
    private var held: [(update: Update, since: Instant)] = []

    /// Creates an empty batch; nil without a positive delay.
    public init?(_ maximumDelay: Instant.Span?) {
        guard let maximumDelay, maximumDelay > .zero else { return nil }
        self.maximumDelay = maximumDelay
    }

    /// The number of held updates.
    public var count: Int { held.count }

    /// When ``tick(at:)`` must be called; nil if no updates are held.
    public var deadline: Instant? { held.first.map { $0.since + maximumDelay } }

    /// Adds an update. Returns all updates to deliver now, oldest first; empty if they are held.
    ///
    /// A missing position or the stationary state is delivered immediately, after the updates that
    /// precede it.
    public mutating func add(_ update: Update, at now: Instant) -> [Update] {
        held.append((update, since: now))
        let isImmediate = update.location == nil || update.stationary
        return isImmediate || held.count >= UpdateBatch.maxCount || isDue(at: now) ? flush(at: now) : []
    }

    /// Returns the held updates if they are due at `now`.
    public mutating func tick(at now: Instant) -> [Update] { isDue(at: now) ? flush(at: now) : [] }

    /// Returns all held updates, whose locations are older now, and empties the batch.
    public mutating func flush(at now: Instant) -> [Update] {
        defer { held = [] }
        return held.map { update, since in
            var update = update
            if let age = update.location?.age { update.location?.age = age + (now - since) }
            return update
        }
    }

    private func isDue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }
}

/// The simplified track of a stream with a tolerance: its updates are held until they are needed.
struct StreamTrack: Sendable {
    private struct HeldUpdate: Sendable {
        var update: Update
        var since: Instant
    }

    private var simplifier: TrackSimplifier<HeldUpdate>

    /// Creates an empty track; nil without a positive tolerance in metres.
    init?(_ tolerance: Double?) {
        guard let simplifier = TrackSimplifier<HeldUpdate>(tolerance: tolerance) else { return nil }
        self.simplifier = simplifier
    }

    /// When ``tick(at:)`` must be called; nil if no update is held.
    var deadline: Instant? { simplifier.deadline }

    /// Adds an update with a location. Returns the updates to publish now, oldest first.
    ///
    /// A departure, an update that reports more than a location, and a location without a date are
    /// published at once after the held one.
    mutating func add(_ update: Update, at now: Instant) -> [Update] {
        guard !update.stationary, let fix = update.location?.fix, let time = fix.time, let coordinate = fix.coordinate
        else { return finish(at: now) + [update] }
        let held = update.hasDeparted ? finish(at: now) : []
        let point = TrackPoint(coordinate, at: time, HeldUpdate(update: update, since: now))
        return held + updates(simplifier.add(point, at: now), at: now)
    }

    /// Returns the held update if its window is over at `now`.
    mutating func tick(at now: Instant) -> [Update] { updates(simplifier.tick(at: now), at: now) }

    mutating func finish(at now: Instant) -> [Update] { updates(simplifier.finish(), at: now) }

    private func updates(_ points: [TrackPoint<HeldUpdate>], at now: Instant) -> [Update] {
        points.map { point in
            var update = point.payload.update
            if let age = update.location?.age { update.location?.age = age + (now - point.payload.since) }
            return update
        }
    }
}
