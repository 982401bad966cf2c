import Chronology
import Delivery
import Positioning

/// What a client asks of a stream.
public struct StreamRequest: Sendable, Equatable {
    /// What it is for.
    public var configuration: LiveConfiguration
    /// Only this receiver, by name or port; nil for the best one.
    public var receiver: String?
    /// What it wishes beyond that.
    public var options: StreamOptions

    /// A wish.
    public init(configuration: LiveConfiguration = .default, receiver: String? = nil, options: StreamOptions = StreamOptions()) {
        self.configuration = configuration
        self.receiver = receiver
        self.options = options
    }
}

/// One open stream.
struct LiveStream: Sendable {
    /// What a fix is to a stream that gets it.
    enum Manner { case plain, setOff, resting }

    let id: StreamID
    let receiver: String?
    /// What it needs of the receivers; nil for one that asks for nothing.
    let demand: Demand?
    /// What has to find out for it whether the device rests; nil where it is not interested.
    let patience: MotionPatience?
    var filter: StreamFilter
    var batch: UpdateBatch?
    /// Whose fix it was told last.
    private var source: ReceiverID?
    /// It was told that the device rests, and of no position since.
    private var restsForClient = false
    /// Since when it was told that the device rests.
    private(set) var restingSince: UTCTime?

    init(_ id: StreamID, _ request: StreamRequest) {
        self.id = id
        receiver = request.receiver
        let options = request.options
        demand = options.demand(request.configuration)
        patience = options.pausesWhenStationary ? request.configuration.patience : nil
        filter = StreamFilter(request.configuration, options)
        batch = UpdateBatch(options.maximumDelay)
    }

    /// It wants each epoch the moment it is made.
    var isUrgent: Bool { demand?.isUrgent == true && !filter.isPaused }

    /// The present state as its first update.
    mutating func first(_ update: Update, from source: ReceiverID?, at now: Instant) -> Update {
        if let fix = update.location?.fix, let source { _ = admits(fix, from: source, at: now) }
        if let reason = update.unavailability { _ = filter.admits(reason) }
        return update
    }

    /// What it is to this stream that the device was found to rest or to move.
    ///
    /// - Parameters:
    ///   - location: The last position.
    ///   - moment: When it was made.
    mutating func take(_ action: MotionAction, _ location: Location, at moment: Instant) -> Update? {
        guard case .pause(let place)? = filter.take(action) else { return nil }
        let update = Update(location, restingAt: place, at: moment)
        (restsForClient, restingSince) = (true, update.restingSince)
        return update
    }

    /// Whether it gets this fix, and as what. When another receiver takes over, its time does not go back.
    mutating func admits(_ fix: Fix, from source: ReceiverID, at now: Instant) -> Manner? {
        if filter.isPaused { return filter.endsFault() ? restsForClient ? .resting : .plain : nil }
        guard self.source == source || !filter.isPast(fix), filter.admits(fix, at: now) else { return nil }
        self.source = source
        guard restsForClient else { return .plain }
        restsForClient = false
        return .setOff
    }
}
