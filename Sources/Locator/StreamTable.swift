import Chronology
import Delivery
import Positioning

/// Every open stream, in the order they came.
struct StreamTable: Sendable {
    private var streams: [LiveStream] = []
    private var batches = 0

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }
    var all: [LiveStream] { streams }
    /// The receivers asked for, nil for the best one; with repeats.
    var wishes: some Sequence<String?> { streams.lazy.map(\.receiver) }
    /// When the first batch is to go out.
    var deadline: Instant? { batches == 0 ? nil : streams.lazy.compactMap { $0.batch?.deadline }.min() }

    mutating func add(_ stream: LiveStream) {
        streams.append(stream)
        if stream.batch != nil { batches += 1 }
    }

    /// Takes a stream out; what its batch holds is nobody's any more.
    mutating func remove(_ id: StreamID) {
        streams.removeAll { $0.id == id }
        batches = streams.count { $0.batch != nil }
    }

    /// Tells a position to the streams that get it.
    mutating func tell(
        _ location: Location, from source: ReceiverID, at now: Instant, _ effects: inout [Effect], where concerned: (String?) -> Bool
    ) {
        var plain: [StreamID] = []
        for at in streams.indices where concerned(streams[at].receiver) {
            guard let manner = streams[at].admits(location.fix, from: source, at: now) else { continue }
            if manner == .plain, streams[at].batch == nil {
                plain.append(streams[at].id)
            } else {
                var update = Update(location: location, stationary: manner == .resting, hasSetOff: manner == .setOff)
                if manner == .resting { update.restingSince = streams[at].restingSince }
                tell(update, at, now, &effects)
            }
        }
        if !plain.isEmpty { effects.append(.publish(Update(location: location), plain)) }
    }

    /// Tells the streams that wait with that patience what the motion detector found. A rest is told with the last position.
    mutating func tell(
        _ action: MotionAction, _ patience: MotionPatience, _ receiver: String?, _ location: Location, at now: Instant, made: Instant,
        _ effects: inout [Effect]
    ) {
        var resting: Update?
        var reached: [StreamID] = []
        for at in streams.indices where streams[at].patience == patience && streams[at].receiver == receiver {
            guard let update = streams[at].take(action, location, at: made) else { continue }
            resting = update
            if streams[at].batch == nil { reached.append(streams[at].id) } else { tell(update, at, now, &effects) }
        }
        if let resting, !reached.isEmpty { effects.append(.publish(resting, reached)) }
    }

    /// Tells the streams why there is no position, grouped by what they are told.
    mutating func tell(_ reasons: [String?: Unavailability?], at now: Instant, _ effects: inout [Effect]) {
        var groups: [(Unavailability, [StreamID])] = []
        for at in streams.indices {
            guard let reason = reasons[streams[at].receiver] ?? nil, streams[at].filter.admits(reason) else { continue }
            if streams[at].batch != nil {
                tell(Update(unavailability: reason), at, now, &effects)
            } else if let group = groups.firstIndex(where: { $0.0 == reason }) {
                groups[group].1.append(streams[at].id)
            } else {
                groups.append((reason, [streams[at].id]))
            }
        }
        for (reason, ids) in groups { effects.append(.publish(Update(unavailability: reason), ids)) }
    }

    /// Lets time pass: batches whose time has come go out, or all of them.
    mutating func tick(at now: Instant, all: Bool = false, _ effects: inout [Effect]) {
        guard batches > 0 else { return }
        for at in streams.indices where streams[at].batch != nil {
            let due = all ? streams[at].batch?.flush() : streams[at].batch?.tick(at: now)
            for update in due ?? [] { effects.append(.publish(update, [streams[at].id])) }
        }
    }

    private mutating func tell(_ update: Update, _ at: Int, _ now: Instant, _ effects: inout [Effect]) {
        let due = streams[at].batch == nil ? [update] : streams[at].batch?.add(update, at: now) ?? []
        for update in due { effects.append(.publish(update, [streams[at].id])) }
    }
}

extension StreamTable {
    /// Whether any stream wants each epoch the moment it is made.
    var hasUrgent: Bool { streams.indices.contains { streams[$0].isUrgent } }

    /// Whether any stream would get a fix.
    func wouldAdmit(_ fix: Fix, at now: Instant) -> Bool {
        streams.indices.contains { streams[$0].filter.wouldAdmit(fix, at: now) }
    }

    /// Whether a stream waits with that patience for the device, or for one receiver, to rest.
    func waits(_ patience: MotionPatience, _ receiver: String?) -> Bool {
        streams.contains { $0.patience == patience && $0.receiver == receiver }
    }

    /// What the streams that a receiver serves need of it; nil where they need nothing.
    func demand(where concerned: (String?) -> Bool) -> Demand? {
        var all: Demand?
        for stream in streams {
            guard let one = stream.demand, concerned(stream.receiver) else { continue }
            all = all?.joined(with: one) ?? one
        }
        return all
    }

    /// Whether all that a receiver serves, but those that ask for nothing, are silent because the device rests.
    func areAtRest(where concerned: (String?) -> Bool) -> Bool {
        var anyRests = false
        for stream in streams where stream.demand != nil && concerned(stream.receiver) {
            guard stream.filter.isPaused else { return false }
            anyRests = true
        }
        return anyRests
    }

    /// Whether one of them wants each epoch the moment it is made.
    func hasUrgent(where concerned: (String?) -> Bool) -> Bool {
        streams.contains { $0.isUrgent && concerned($0.receiver) }
    }
}
