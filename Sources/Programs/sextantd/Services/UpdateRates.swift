import Chronology
import Locator
import ServiceRuntime

/// The rates at which streams get updates, on the host's clock. An update that exceeds the rate of
/// its stream is held until it may be sent; a newer one replaces it.
///
/// The filters of streams measure the receiver's time. Without this limit, a receiver whose clock
/// runs ahead or back would cause an update at every epoch (`docs/decisions/0009`). Replays have no
/// host clock, and no limit.
struct UpdateRates {
    /// An update that was held and may be sent now.
    struct DueUpdate: Equatable {
        var stream: RequestID
        var update: Update
        /// The number of earlier updates that it replaces.
        var replaced: Int
    }

    private struct Stream {
        var rate: RateLimit
        var held: Update?
        /// The number of updates that `held` has replaced.
        var replaced = 0

        /// Returns the number of updates that a new one replaces if it is admitted; otherwise holds
        /// it and returns nil.
        mutating func admit(_ update: Update, at now: Instant) -> Int? {
            let waiting = held == nil ? 0 : replaced + 1
            let isAdmitted = rate.admits(at: now)
            held = isAdmitted ? nil : update
            replaced = isAdmitted ? 0 : waiting
            return isAdmitted ? waiting : nil
        }
    }

    /// The maximum number of updates per second of a stream that begins now, on average. Filters
    /// admit at most five per second of receiver time, and changes between a location and its
    /// absence.
    var perSecond: Int
    /// The maximum number of updates at once. A read contains several epochs if the daemon was
    /// delayed.
    var burst: Int { perSecond * 5 }
    private var streams: [RequestID: Stream] = [:]
    /// When to call ``takeDue(at:)``; nil if no update is held.
    private(set) var deadline: Instant?

    init(perSecond: Int) { self.perSecond = perSecond }

    /// Begins a stream. The batches of a batched one arrive complete.
    mutating func begin(_ id: RequestID, isBatched: Bool) {
        let burst = isBatched ? burst + UpdateBatch.maxCount : burst
        streams[id] = Stream(rate: RateLimit(perSecond: perSecond, burst: burst))
    }

    /// Ends a stream and discards its held update.
    mutating func end(_ id: RequestID) {
        if streams.removeValue(forKey: id)?.held != nil { updateDeadline() }
    }

    /// Discards the held update of a stream whose program may not know it any more.
    mutating func discardHeld(_ id: RequestID) {
        guard streams[id]?.held != nil else { return }
        streams[id]?.held = nil
        streams[id]?.replaced = 0
        updateDeadline()
    }

    /// Returns the number of earlier updates that a new one replaces, if it may be sent now.
    /// Otherwise holds it and returns nil.
    mutating func admit(_ update: Update, to id: RequestID, at now: Instant) -> Int? {
        guard streams[id] != nil else { return 0 }
        if let replaced = streams[id]?.admit(update, at: now) { return replaced }
        deadline = earliest(deadline, streams[id]?.rate.nextAdmission)
        return nil
    }

    /// Returns and removes the held updates that may be sent now.
    mutating func takeDue(at now: Instant) -> [DueUpdate] {
        guard let deadline, deadline <= now else { return [] }
        var due: [DueUpdate] = []
        for (id, stream) in streams {
            guard let held = stream.held, streams[id]?.rate.admits(at: now) ?? false else { continue }
            streams[id]?.held = nil
            streams[id]?.replaced = 0
            due.append(DueUpdate(stream: id, update: held, replaced: stream.replaced))
        }
        updateDeadline()
        return due
    }

    private mutating func updateDeadline() {
        deadline = streams.values.lazy.filter { $0.held != nil }.map(\.rate.nextAdmission).min()
    }
}
