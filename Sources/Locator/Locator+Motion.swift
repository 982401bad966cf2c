import Chronology
import Delivery
import Positioning

/// At rest or not, for the streams that fall silent by it.
extension Locator {
    /// Shows an epoch to the detectors that it concerns, and tells what they find out.
    ///
    /// - Parameter made: when the epoch was over.
    /// - Returns: what was found out of the device for those who watch boundaries.
    @discardableResult
    mutating func observe(
        _ fix: Fix, _ name: String, _ port: String, isChosen: Bool, at now: Instant, made: Instant, _ effects: inout [Effect]
    ) -> MotionAction? {
        var found: MotionAction?
        for index in motion.watches.indices {
            let wanted = motion.watches[index].receiver
            guard wanted.map({ $0 == name || $0 == port }) ?? isChosen, let action = motion.take(fix, at: index, made) else { continue }
            let patience = motion.watches[index].detector.patience
            streams.tell(action, patience, wanted, Location(fix: fix, receiver: name), at: now, made: made, &effects)
            needsChanged = plansPower || pacesReads
            if patience == .any, wanted == nil { found = action }
        }
        if isChosen, let action = visits.take(fix, motion.state(VisitTable.patience, nil), at: made) { tell(action, &effects) }
        return found
    }

    /// Gives a new stream its detector. Where the device is known to rest, the stream is told that first; returns the update.
    mutating func rest(_ stream: inout LiveStream, _ present: Update, at now: Instant) -> Update? {
        guard let patience = stream.patience else { return nil }
        motion.add(patience, stream.receiver)
        guard let place = motion.restingPlace(patience, stream.receiver), present.unavailability?.cause.isNoNewsAtRest ?? true,
            let last = lastPosition(stream.receiver, at: now)
        else { return nil }
        return stream.take(.becameStationary(place), last.location, at: last.at)
    }

    /// Since when the device has been at rest, by its receiver's time, as far as anybody wants to know; nil while it is not, or nobody does.
    public func restingSince(at now: Instant) -> UTCTime? {
        let places = motion.watches.lazy.filter { $0.receiver == nil }.compactMap(\.detector.restingPlace)
        guard let first = places.min(by: { $0.since < $1.since }), let last = lastPosition(nil, at: now) else { return nil }
        return first.began(last.location.fix.time, at: last.at)
    }
}
