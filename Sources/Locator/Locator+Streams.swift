import Chronology
import Delivery
import Positioning

/// What clients ask for.
extension Locator {
    /// Opens a stream; its first update, the present state, is among the effects.
    public mutating func subscribe(_ id: StreamID, _ request: StreamRequest, at now: Instant, into effects: inout [Effect]) {
        handOver(to: choice.tick(at: now), now, &effects)
        var stream = LiveStream(id, request)
        let source = source(request.receiver, at: now)
        let update = present(source, request.receiver, at: now)
        if let resting = rest(&stream, update, at: now) {
            effects.append(.publish(resting, [id]))
        } else {
            effects.append(.publish(stream.first(update, from: source?.id, at: now), [id]))
        }
        streams.add(stream)
        tellNeeds(at: now, &effects)
    }

    /// Closes a stream or gives up a question.
    public mutating func cancel(_ id: StreamID) {
        streams.remove(id)
        questions.remove(id)
        visits.remove(id)
        motion.keep(where: waits)
        // The next tick tells the receivers, and it is due.
        needsChanged = plansPower || pacesReads
    }

    /// Asks for the position once.
    ///
    /// - Parameters:
    ///   - maximumAge: A position whose epoch ended no longer ago than this will do.
    ///   - timeout: How long to wait for one.
    ///   - receiver: Only this one's, by name or port.
    public mutating func locate(
        _ id: StreamID, maximumAge: Instant.Span, timeout: Instant.Span, receiver: String?, at now: Instant, into effects: inout [Effect]
    ) {
        handOver(to: choice.tick(at: now), now, &effects)
        if maximumAge > .zero, let last = lastPosition(receiver, at: now), now - last.at <= maximumAge {
            effects.append(.answer(id, last.location, age: now - last.at))
        } else {
            questions.add(Question(id: id, receiver: receiver, deadline: now + timeout))
            tellNeeds(at: now, &effects)
        }
    }

    /// What streams would be told if the epoch that this receiver has begun were over now; nil while none is, or nobody is in a hurry.
    public func expected(from id: ReceiverID, at now: Instant) -> Update? {
        guard streams.hasUrgent, let at = index(id), tracks.count == 1 || choice.chosen == id else { return nil }
        guard let fix = tracks[at].pipeline.expected(at: now), fix.coordinate != nil, streams.wouldAdmit(fix, at: now) else { return nil }
        return Update(location: Location(fix: fix, receiver: tracks[at].name))
    }

    /// How many streams are open.
    public var streamCount: Int { streams.count }
}
