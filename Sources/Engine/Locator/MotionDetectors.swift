import Chronology
import Positioning

/// A change that a motion detector reports.
struct MotionChange: Sendable {
    let action: MotionAction
    /// The detector: its threshold and the receivers whose fixes it uses.
    let threshold: StationaryThreshold
    let receiver: ReceiverSelection

    /// Whether the detector is the one that boundary monitoring uses.
    var isForBoundaries: Bool { threshold == .any && receiver == .best }
}

extension MotionAction {
    /// Whether the device is stationary from then on.
    var isRest: Bool {
        switch self {
        case .becameStationary, .retracted: true
        case .becameMoving, .becameUnknown: false
        }
    }
}

/// The motion detectors in use, one per threshold and receiver that a consumer needs.
///
/// A stream on one receiver uses that receiver's fixes. A detector also changes state after ten
/// minutes without a position. That change does not affect streams, so it sets no deadline.
struct MotionDetectors: Sendable {
    private struct Entry: Sendable {
        let receiver: ReceiverSelection
        var detector: MotionDetector
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The place where the device has been stationary for the longest time; nil while no detector
    /// finds it stationary.
    var longestRestingPlace: StationaryPlace? {
        let places = entries.lazy.filter { $0.receiver == .best }.compactMap(\.detector.restingPlace)
        return places.min { $0.since < $1.since }
    }

    /// Whether the device rests: a detector finds it stationary. One for a named receiver counts
    /// only if there is none for the device, and if no other receiver has had a position for ten
    /// minutes more: it may be lost.
    var isResting: Bool {
        let includesNamed = !entries.contains { $0.receiver == .best }
        let newest = entries.lazy.compactMap(\.detector.lastPositionAt).max() ?? .zero
        return entries.contains { entry in
            guard entry.detector.state == .stationary, let last = entry.detector.lastPositionAt else { return false }
            return entry.receiver == .best || includesNamed && newest - last <= MotionDetector.unknownTimeout
        }
    }

    /// Adds a detector with this threshold for the device or for one receiver, unless it exists.
    mutating func add(_ threshold: StationaryThreshold, for receiver: ReceiverSelection) {
        guard index(of: threshold, for: receiver) == nil else { return }
        entries.append(Entry(receiver: receiver, detector: MotionDetector(threshold)))
    }

    /// Replaces all detectors by new ones. Returns those that found the device stationary.
    mutating func forgetPlaces() -> [(threshold: StationaryThreshold, receiver: ReceiverSelection)] {
        let resting = entries.filter { $0.detector.restingPlace != nil }
        entries = entries.map { Entry(receiver: $0.receiver, detector: MotionDetector($0.detector.threshold)) }
        return resting.map { ($0.detector.threshold, $0.receiver) }
    }

    /// Removes the detectors that no consumer needs.
    mutating func removeUnused(isNeeded: (StationaryThreshold, ReceiverSelection) -> Bool) {
        entries.removeAll { !isNeeded($0.detector.threshold, $0.receiver) }
    }

    /// Passes an epoch to the detectors that its receiver serves and returns their changes.
    mutating func record(_ fix: Fix, servedBy served: ServedSelections, at now: Instant) -> [MotionChange] {
        var changes: [MotionChange] = []
        for index in entries.indices where served.contains(entries[index].receiver) {
            guard let action = entries[index].detector.process(fix, at: now) else { continue }
            let threshold = entries[index].detector.threshold
            changes.append(MotionChange(action: action, threshold: threshold, receiver: entries[index].receiver))
        }
        return changes
    }

    /// Returns the place where that detector finds the device stationary.
    func restingPlace(_ threshold: StationaryThreshold, for receiver: ReceiverSelection) -> StationaryPlace? {
        index(of: threshold, for: receiver).flatMap { entries[$0].detector.restingPlace }
    }

    func state(_ threshold: StationaryThreshold, for receiver: ReceiverSelection) -> MotionState {
        index(of: threshold, for: receiver).map { entries[$0].detector.state } ?? .unknown
    }

    /// Returns whether one of these detectors suspects that a stationary device has moved away.
    func suspectsDeparture(servedBy served: ServedSelections) -> Bool {
        entries.indices.contains { entries[$0].detector.mayHaveDeparted && served.contains(entries[$0].receiver) }
    }

    private func index(of threshold: StationaryThreshold, for receiver: ReceiverSelection) -> Int? {
        entries.indices.first { entries[$0].detector.threshold == threshold && entries[$0].receiver == receiver }
    }
}
