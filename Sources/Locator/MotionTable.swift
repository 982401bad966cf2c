import Chronology
import Delivery
import Positioning

/// Who finds out whether the device rests: one detector for each patience that a stream waits with, and none while none does.
///
/// A stream that follows one receiver is served by that receiver's fixes. What a detector does when no position comes for ten minutes
/// changes nothing for a stream, so it asks for no wakeup.
struct MotionTable: Sendable {
    struct Watch: Sendable {
        let receiver: String?
        var detector: MotionDetector
    }

    private(set) var watches: [Watch] = []

    /// Sees to it that there is a detector of that patience for the device, or for one receiver.
    mutating func add(_ patience: MotionPatience, _ receiver: String?) {
        guard find(patience, receiver) == nil else { return }
        watches.append(Watch(receiver: receiver, detector: MotionDetector(patience)))
    }

    /// Lets go those for which nobody waits any more.
    mutating func keep(where isNeeded: (MotionPatience, String?) -> Bool) {
        watches.removeAll { !isNeeded($0.detector.patience, $0.receiver) }
    }

    /// Where the device rests, as that detector sees it.
    func restingPlace(_ patience: MotionPatience, _ receiver: String?) -> RestingPlace? {
        find(patience, receiver).flatMap { watches[$0].detector.restingPlace }
    }

    /// What the device does, as that detector sees it.
    func state(_ patience: MotionPatience, _ receiver: String?) -> MotionState {
        find(patience, receiver).map { watches[$0].detector.state } ?? .unknown
    }

    /// Whether a device that was at rest seems to be elsewhere, to one of those detectors.
    func suspectsDeparture(where concerned: (String?) -> Bool) -> Bool {
        watches.indices.contains { watches[$0].detector.suspectsDeparture && concerned(watches[$0].receiver) }
    }

    /// Shows an epoch to one detector.
    mutating func take(_ fix: Fix, at index: Int, _ now: Instant) -> MotionAction? {
        watches[index].detector.take(fix, at: now)
    }

    private func find(_ patience: MotionPatience, _ receiver: String?) -> Int? {
        watches.indices.first { watches[$0].detector.patience == patience && watches[$0].receiver == receiver }
    }
}
