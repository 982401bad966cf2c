import Chronology
import Geodesy
import Positioning

/// The results of a motion detector on a log, compared with the true movement that follows from
/// earlier and later fixes.
package struct MotionTrial: Sendable {
    /// The duration of the log.
    package private(set) var length = Instant.Span.zero
    /// The time from the first position with an accuracy of 10 m or better to the first reported
    /// stationary state; nil if there was none.
    package private(set) var timeToRest: Instant.Span?
    /// The number of reported changes to the stationary state.
    package private(set) var rests = 0
    /// The number of reported changes to the moving state.
    package private(set) var movements = 0
    /// The number of reported retractions.
    package private(set) var retractions = 0
    /// The number of epochs with certain movement: the median speed over eleven seconds is above 1
    /// m/s, and the device moves more than 5 m, or 25 m without speeds.
    package private(set) var movingEpochs = 0
    /// The number of ``movingEpochs`` in which the detector reported the stationary state.
    package private(set) var movingReportedStationary = 0
    /// The number of epochs with a position.
    package private(set) var positions = 0
    /// The number of ``positions`` in which the detector reported the stationary state.
    package private(set) var reportedStationary = 0
    /// The reported actions, with seconds since the first epoch.
    package private(set) var reportedActions: [(second: Double, action: MotionAction)] = []

    /// The number of changes between the stationary and the moving state.
    package var changes: Int { rests + movements + retractions }
    /// The share of ``movingEpochs`` reported as stationary, 0 ... 1.
    package var shareWronglyAtRest: Double {
        movingEpochs == 0 ? 0 : Double(movingReportedStationary) / Double(movingEpochs)
    }
    /// The number of movements that were never retracted.
    package var unretractedMovements: Int { movements - retractions }

    /// Replays a log through a detector.
    package init(_ fixes: [Fix], threshold: StationaryThreshold) {
        var detector = MotionDetector(threshold)
        let times = MotionTrial.instants(of: fixes)
        let isMoving = GroundTruthMovement(fixes, times: times)
        var firstGood: Instant?
        for (index, fix) in fixes.enumerated() {
            let now = times[index]
            while let due = detector.deadline, due < now { record(detector.tick(at: due), at: due) }
            if let radius = fix.horizontalAccuracy, radius <= 10, firstGood == nil { firstGood = now }
            let action = detector.process(fix, at: now)
            record(action, at: now)
            if case .becameStationary = action, timeToRest == nil, let firstGood { timeToRest = now - firstGood }
            guard fix.coordinate != nil else { continue }
            positions += 1
            if detector.state == .stationary { reportedStationary += 1 }
            guard isMoving[index] else { continue }
            movingEpochs += 1
            if detector.state == .stationary { movingReportedStationary += 1 }
        }
        length = times.last.map { $0 - .zero } ?? .zero
    }

    private mutating func record(_ action: MotionAction?, at now: Instant) {
        guard let action else { return }
        reportedActions.append(((now - .zero).seconds, action))
        switch action {
        case .becameStationary: rests += 1
        case .becameMoving: movements += 1
        case .retracted: retractions += 1
        case .becameUnknown: break
        }
    }

    /// Returns the instants of the epochs from their times. An epoch without a time, or with a time
    /// that steps back, follows the previous one by one second.
    static func instants(of fixes: [Fix]) -> [Instant] {
        var now = Instant.zero
        var last: UTCTime?
        return fixes.map { fix in
            if let time = fix.time, let before = last {
                let passed = time.span(since: before)
                now = now + (passed > .zero && passed < .seconds(86_400) ? passed : .seconds(1))
            } else if last != nil || fix.time == nil {
                now = now + .seconds(1)
            }
            last = fix.time ?? last?.advanced(by: .seconds(1))
            return now
        }
    }
}

/// The epochs of a log with certain movement, by Doppler if there is any, otherwise by positions.
/// It uses earlier and later fixes.
struct GroundTruthMovement {
    private let flags: [Bool]

    init(_ fixes: [Fix], times: [Instant]) {
        flags = fixes.indices.map { index in
            guard let here = fixes[index].coordinate else { return false }
            let near = GroundTruthMovement.indices(around: index, times: times)
            let speeds = near.compactMap { fixes[$0].speed }.sorted()
            if !speeds.isEmpty, speeds[speeds.count / 2] <= 1 { return false }
            let displacement = near.compactMap { fixes[$0].coordinate }.map(here.nearbyDistance(to:)).max() ?? 0
            return displacement > (speeds.isEmpty ? 25 : 5)
        }
    }

    subscript(_ index: Int) -> Bool { flags[index] }

    private static func indices(around index: Int, times: [Instant]) -> Range<Int> {
        var (first, end) = (index, index + 1)
        while first > 0, times[index] - times[first - 1] <= .seconds(5) { first -= 1 }
        while end < times.count, times[end] - times[index] <= .seconds(5) { end += 1 }
        return first..<end
    }
}
