import Chronology
import SextantAPI

/// The clients of `Watch` of `io.sextant.Manager`, and when each gets the next reply.
///
/// A turn shows that something may have changed. After the interval of a client, what it got last
/// is compared with the present state. An idle daemon is not woken: if nothing has changed for a
/// client that gets the consumers, nothing has for the others.
struct StatusWatches {
    private struct Watch {
        let interval: Instant.Span
        var next: Instant
        /// Whether something may have changed since the last comparison.
        var isOutdated = false
        /// What the client got last, without what grows all the time; nil if it has to get more.
        var last: WatchedStatus?
    }

    private var watches: [Int: Watch] = [:]

    var isEmpty: Bool { watches.isEmpty }

    /// When the next comparison is due; nil if none is.
    var deadline: Instant? { watches.values.lazy.filter(\.isOutdated).map(\.next).min() }

    mutating func begin(_ number: Int, interval: Instant.Span, with status: WatchedStatus, at now: Instant) {
        watches[number] = Watch(interval: interval, next: now + interval, last: status.withoutGrowth)
    }

    /// Ends the watch of a client; false if it has none.
    mutating func end(_ number: Int) -> Bool { watches.removeValue(forKey: number) != nil }

    func contains(_ number: Int) -> Bool { watches[number] != nil }

    /// Causes a client to get a reply in this turn.
    mutating func invalidate(_ number: Int, at now: Instant) {
        watches[number]?.last = nil
        watches[number]?.next = now
    }

    /// Ends a turn. Returns the clients that get the present state: it differs from what they got
    /// last, and their interval is over.
    ///
    /// - Parameter status: Returns the present state for a client.
    mutating func endTurn(
        at now: Instant, status: (Int) -> WatchedStatus?
    ) -> [(number: Int, status: WatchedStatus)] {
        let due = watches.filter { $0.value.next <= now }.keys.sorted()
        var changed: [(Int, WatchedStatus)] = []
        var comparesConsumers = false
        for number in due {
            guard var watch = watches[number], let status = status(number) else { continue }
            watch.next = now + watch.interval
            watch.isOutdated = false
            if status.consumers != nil { comparesConsumers = true }
            if watch.last != status.withoutGrowth {
                watch.last = status.withoutGrowth
                changed.append((number, status))
            }
            watches[number] = watch
        }
        for (number, watch) in watches where !due.contains(number) {
            let isUnseen = !comparesConsumers && watch.last?.consumers != nil
            if due.isEmpty || !changed.isEmpty || isUnseen { watches[number]?.isOutdated = true }
        }
        return changed
    }
}

extension WatchedStatus {
    /// The status without ages and counts.
    fileprivate var withoutGrowth: WatchedStatus {
        var copy = self
        copy.status.uptime = 0
        copy.status.state?.freeBytes = nil
        (copy.status.updatesSent, copy.status.updatesDropped) = (nil, nil)
        copy.status.wakeups = nil
        (copy.status.wakeupsPerFix, copy.status.wakeupsPerMinute) = (nil, nil)
        copy.consumers = consumers?.map { consumer in
            var consumer = consumer
            consumer.seconds = 0
            return consumer
        }
        copy.activities = activities?.map { ReceiverActivity(receiver: $0.receiver, state: $0.state, seconds: 0) }
        return copy
    }
}
