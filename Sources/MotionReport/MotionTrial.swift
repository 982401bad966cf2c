import Chronology
import Geodesy
import Positioning

/// A detector played over the fixes of a log, and what it said, against what the fixes show when one knows how they go on.
public struct MotionTrial: Sendable {
    /// How long the log is.
    public private(set) var length = Instant.Span.zero
    /// From the first good position, of 10 m or better, to the first rest told; nil where there was none.
    public private(set) var timeToRest: Instant.Span?
    /// Rests, movements, retractions and losses told.
    public private(set) var rests = 0
    /// See ``rests``.
    public private(set) var movements = 0
    /// See ``rests``.
    public private(set) var retractions = 0
    /// Epochs in which the device certainly moved: its median speed over eleven seconds is above 1 m/s, and it is gone 10 m.
    public private(set) var movingEpochs = 0
    /// Those of them in which it was said to rest.
    public private(set) var movingSaidToRest = 0
    /// Epochs with a position.
    public private(set) var positions = 0
    /// Those in which it was said to rest.
    public private(set) var saidToRest = 0
    /// What was told, with seconds since the first epoch.
    public private(set) var told: [(second: Double, action: MotionAction)] = []

    /// Rest to movement or back.
    public var changes: Int { rests + movements + retractions }
    /// Share of the certainly moving time that was called rest, 0 ... 1.
    public var shareWronglyAtRest: Double { movingEpochs == 0 ? 0 : Double(movingSaidToRest) / Double(movingEpochs) }
    /// Movements that were never taken back.
    public var standingMovements: Int { movements - retractions }

    /// Plays a log.
    public init(_ fixes: [Fix], patience: MotionPatience) {
        var detector = MotionDetector(patience)
        let times = MotionTrial.instants(of: fixes)
        let isMoving = TrueMovement(fixes, times)
        var firstGood: Instant?
        for (at, fix) in fixes.enumerated() {
            let now = times[at]
            while let due = detector.deadline, due < now { note(detector.tick(at: due), at: due) }
            if let radius = fix.horizontalAccuracy, radius <= 10, firstGood == nil { firstGood = now }
            let action = detector.take(fix, at: now)
            note(action, at: now)
            if case .becameStationary = action, timeToRest == nil, let firstGood { timeToRest = now - firstGood }
            guard fix.coordinate != nil else { continue }
            positions += 1
            if detector.state == .stationary { saidToRest += 1 }
            guard isMoving[at] else { continue }
            movingEpochs += 1
            if detector.state == .stationary { movingSaidToRest += 1 }
        }
        length = times.last.map { $0 - .zero } ?? .zero
    }

    private mutating func note(_ action: MotionAction?, at now: Instant) {
        guard let action else { return }
        told.append(((now - .zero).seconds, action))
        switch action {
        case .becameStationary: rests += 1
        case .becameMoving: movements += 1
        case .retracted: retractions += 1
        case .becameUnknown: break
        }
    }

    /// When epochs came, by their own times; one without a time, or set back, came a second after the one before it.
    static func instants(of fixes: [Fix]) -> [Instant] {
        var now = Instant.zero
        var last: UTCTime?
        return fixes.map { fix in
            if let time = fix.time, let before = last {
                let passed = time.since(before)
                now = now + (passed > .zero && passed < .seconds(86_400) ? passed : .seconds(1))
            } else if last != nil || fix.time == nil {
                now = now + .seconds(1)
            }
            last = fix.time ?? last?.advanced(by: .seconds(1))
            return now
        }
    }
}

/// Where a log certainly moves, seen with what comes before and after: by Doppler where there is any, else by positions.
struct TrueMovement {
    private let flags: [Bool]

    init(_ fixes: [Fix], _ times: [Instant]) {
        flags = fixes.indices.map { at in
            guard let here = fixes[at].coordinate else { return false }
            let near = TrueMovement.around(at, times)
            let speeds = near.compactMap { fixes[$0].speed }.sorted()
            if !speeds.isEmpty, speeds[speeds.count / 2] <= 1 { return false }
            let gone = near.compactMap { fixes[$0].coordinate }.map(here.nearbyDistance(to:)).max() ?? 0
            return gone > (speeds.isEmpty ? 25 : 5)
        }
    }

    subscript(_ at: Int) -> Bool { flags[at] }

    private static func around(_ at: Int, _ times: [Instant]) -> Range<Int> {
        var (first, end) = (at, at + 1)
        while first > 0, times[at] - times[first - 1] <= .seconds(5) { first -= 1 }
        while end < times.count, times[end] - times[at] <= .seconds(5) { end += 1 }
        return first..<end
    }
}
