import Chronology
import Delivery
import Positioning

/// What a client asks of a stream.
public struct StreamRequest: Sendable, Equatable {
    /// What it is for.
    public var configuration: LiveConfiguration
    /// Only this receiver, by name or port; nil for the best one.
    public var receiver: String?

    /// A wish.
    public init(configuration: LiveConfiguration = .default, receiver: String? = nil) {
        self.configuration = configuration
        self.receiver = receiver
    }
}

/// One open stream.
struct LiveStream: Sendable {
    let id: StreamID
    let receiver: String?
    /// It wants each epoch the moment it is made.
    let isUrgent: Bool
    var filter: StreamFilter
    /// Whose fix it was told last.
    private var source: ReceiverID?

    init(_ id: StreamID, _ request: StreamRequest) {
        self.id = id
        receiver = request.receiver
        isUrgent = request.configuration.demand.isUrgent
        filter = StreamFilter(request.configuration)
    }

    /// The present state as its first update.
    mutating func first(_ update: Update, from source: ReceiverID?, at now: Instant) -> Update {
        if let fix = update.location?.fix, let source { _ = admits(fix, from: source, at: now) }
        if let reason = update.unavailability { _ = filter.admits(reason) }
        return update
    }

    /// Whether it gets this fix. When another receiver takes over, its time does not go back.
    mutating func admits(_ fix: Fix, from source: ReceiverID, at now: Instant) -> Bool {
        guard self.source == source || !filter.isPast(fix), filter.admits(fix, at: now) else { return false }
        self.source = source
        return true
    }
}

/// Every open stream, in the order they came.
struct StreamTable: Sendable {
    private var streams: [LiveStream] = []

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }
    /// The receivers asked for, nil for the best one; with repeats.
    var wishes: some Sequence<String?> { streams.lazy.map(\.receiver) }

    mutating func add(_ stream: LiveStream) { streams.append(stream) }
    mutating func remove(_ id: StreamID) { streams.removeAll { $0.id == id } }

    /// The streams that get a fix.
    mutating func admit(_ fix: Fix, from source: ReceiverID, at now: Instant, where concerned: (String?) -> Bool) -> [StreamID] {
        var reached: [StreamID] = []
        for at in streams.indices where concerned(streams[at].receiver) && streams[at].admits(fix, from: source, at: now) {
            reached.append(streams[at].id)
        }
        return reached
    }

    /// Whether any stream wants each epoch the moment it is made.
    var hasUrgent: Bool { streams.contains { $0.isUrgent } }

    /// Whether any stream would get a fix.
    func wouldAdmit(_ fix: Fix, at now: Instant) -> Bool {
        streams.contains { $0.filter.wouldAdmit(fix, at: now) }
    }

    /// The streams that are told why there is no position, grouped by what they are told.
    mutating func admit(_ reasons: [String?: Unavailability?]) -> [(Unavailability, [StreamID])] {
        var groups: [(Unavailability, [StreamID])] = []
        for at in streams.indices {
            guard let reason = reasons[streams[at].receiver] ?? nil, streams[at].filter.admits(reason) else { continue }
            if let group = groups.firstIndex(where: { $0.0 == reason }) {
                groups[group].1.append(streams[at].id)
            } else {
                groups.append((reason, [streams[at].id]))
            }
        }
        return groups
    }
}
