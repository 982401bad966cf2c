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
            streams.tell(action, patience, wanted, Location(fix: fix, receiver: name), at: now, &effects)
            needsChanged = plansPower || pacesReads
            if patience == .any, wanted == nil { found = action }
        }
        return found
    }

    /// Gives a new stream its detector. Where the device is known to rest, the stream is told that first; returns the update.
    mutating func rest(_ stream: inout LiveStream, _ present: Update, at now: Instant) -> Update? {
        guard let patience = stream.patience else { return nil }
        motion.add(patience, stream.receiver)
        guard let place = motion.restingPlace(patience, stream.receiver), present.unavailability?.cause.isNoNewsAtRest ?? true,
            let last = lastPosition(stream.receiver, at: now), stream.take(.becameStationary(place)) != nil
        else { return nil }
        return Update(location: last.location.resting(at: place), stationary: true)
    }
}
