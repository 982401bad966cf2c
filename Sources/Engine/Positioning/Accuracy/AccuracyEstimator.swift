import Chronology
import Geodesy
import Glibc
import NMEA

/// Determines the accuracies of each fix of one receiver. All are 68 % values, whatever the
/// receiver reports.
///
/// Starts from the receiver's own estimate or ``AccuracyModel``'s. Then it applies the evidence of
/// earlier epochs: a recent first fix, dead reckoning without satellites, and positions that
/// contradict the reported speed. It also decides which positions, speeds and courses earlier
/// epochs contradict. Uses only past epochs and reads no clock. Sources and constants:
/// `docs/accuracy.md`.
struct AccuracyEstimator: Sendable {
    /// What the receiver reported and earlier epochs contradict.
    private(set) var contradicted = ContradictedValues()
    private var clock = EpochClock()
    private var track = TrackCheck()
    private var firstFixPenalty = FirstFixPenalty()
    private var deadReckoning = DeadReckoning()
    private var motionConsistency = MotionConsistency()

    mutating func recordEpochWithoutPosition(_ epoch: Epoch) {
        _ = advance(to: epoch)
        firstFixPenalty.recordEpochWithoutFix()
    }

    /// Returns whether the receiver was within that many metres of a place when it last had a
    /// position.
    func wasNear(_ place: Coordinate, within distance: Double) -> Bool {
        track.last.map { $0.coordinate.nearbyDistance(to: place) <= distance } ?? false
    }

    /// Sets the accuracies of a fix that has a position, and the source of the horizontal one.
    /// Removes a speed and a course that the positions contradict.
    ///
    /// - Returns: Whether the position is accepted. An outlier is not, until later positions
    /// confirm it.
    mutating func setAccuracies(of fix: inout Fix, from epoch: Epoch, vdop: Double?, signals: SkySignals) -> Bool {
        guard let coordinate = fix.coordinate else { return false }
        let seconds = advance(to: epoch)
        let isDeadReckoned = fix.quality == .estimated
        if isDeadReckoned { firstFixPenalty.recordEpochWithoutFix() }
        let model = AccuracyModel(
            fix: fix, correctionAge: epoch.gga?.correctionAge ?? epoch.gns?.correctionAge, signals: signals,
            firstFixFactor: isDeadReckoned ? 1 : firstFixPenalty.factor(at: seconds))
        let (radius, source) = horizontal(epoch, model: model, at: seconds)
        var raised = radius
        switch isDeadReckoned
            ? .continues : track.classify(fix, at: coordinate, radius: radius, at: seconds)
        {
        case .outlier:
            contradicted.positions += 1
            return false
        case .jumped: motionConsistency.restart()
        case .contradicted(let distance):
            raised = max(radius, distance)
            motionConsistency.restart()
        case .continues: break
        }
        let isSpeedPossible = isDeadReckoned || track.isSpeedPossible
        motionConsistency.add(
            coordinate, radius: radius, speed: isSpeedPossible ? fix.speed : nil, course: fix.course, at: seconds)
        withdrawContradictedMotion(of: &fix, isSpeedPossible: isSpeedPossible)
        raised = max(raised, radiusByMotion(radius))
        fix.horizontalAccuracy = raised
        fix.accuracySource = source
        if !isDeadReckoned || source != .deadReckoning {
            deadReckoning.begin(radius: raised, at: coordinate, seconds: seconds)
        }
        // The errors of the same ranges affect the height.
        fix.verticalAccuracy = vertical(epoch, model: model, vdop: vdop).map {
            min($0 * (raised / radius), AccuracyConstants.maxPlausibleError)
        }
        fix.speedAccuracy = fix.speed.map { ReceiverEstimate.speed(epoch) ?? model.speed($0) }
        fix.courseAccuracy = course(of: fix, epoch: epoch)
        return true
    }

    /// Advances to an epoch and returns the seconds since the first.
    private mutating func advance(to epoch: Epoch) -> Double {
        let seconds = clock.advance(to: epoch)
        if clock.didReset {
            motionConsistency.reset()
            track.reset()
        }
        return seconds
    }

    private mutating func withdrawContradictedMotion(of fix: inout Fix, isSpeedPossible: Bool) {
        if fix.speed != nil, motionConsistency.isSpeedWrong || !isSpeedPossible {
            fix.speed = nil
            contradicted.speeds += 1
        }
        if fix.course != nil, motionConsistency.isCourseWrong {
            fix.course = nil
            contradicted.courses += 1
        }
    }

    private mutating func horizontal(_ epoch: Epoch, model: AccuracyModel, at seconds: Double) -> (
        Double, AccuracySource
    ) {
        if let reported = ReceiverEstimate.horizontal(epoch) {
            return (max(reported.radius, model.minReportedRadius), reported.source)
        }
        if model.fix.quality == .estimated, let coordinate = model.fix.coordinate,
            let grown = deadReckoning.radius(coordinate, at: seconds)
        {
            return (grown, .deadReckoning)
        }
        return (model.radius, model.fix.hdop == nil ? .assumed : .hdop)
    }

    /// Returns the radius, raised if the positions contradict speed and course, or walk while the
    /// receiver reports standstill.
    private func radiusByMotion(_ radius: Double) -> Double {
        let byInnovation = max(radius, motionConsistency.innovationRadius)
        let byWalk = motionConsistency.stationaryWalk * AccuracyConstants.walkToR68
        return min(max(byInnovation, byWalk), AccuracyConstants.maxPlausibleError)
    }

    private func vertical(_ epoch: Epoch, model: AccuracyModel, vdop: Double?) -> Double? {
        guard model.fix.mode == .threeD, model.fix.altitude ?? model.fix.ellipsoidalAltitude != nil else { return nil }
        if let reported = ReceiverEstimate.vertical(epoch) { return max(reported, model.minReportedHeightError) }
        return vdop.map(model.vertical)
    }

    /// Returns the course accuracy in degrees: the angle of a speed error perpendicular to the
    /// direction of travel. Returns nil if the speed is too low for a course.
    private func course(of fix: Fix, epoch: Epoch) -> Double? {
        guard fix.course != nil else { return nil }
        if let reported = ReceiverEstimate.course(epoch) { return reported }
        guard let speed = fix.speed, let across = fix.speedAccuracy,
            speed >= AccuracyConstants.minSpeedToAccuracyRatio * across
        else { return nil }
        return atan(across / speed) * 180 / .pi
    }
}

/// The number of values of a receiver that its other values contradict, and that are not used.
public struct ContradictedValues: Sendable, Hashable {
    /// Positions that did not follow from the previous ones and that no later one had confirmed.
    public var positions = 0
    /// Speeds that the positions contradicted.
    public var speeds = 0
    /// Courses that the positions contradicted.
    public var courses = 0

    /// Creates counts of zero.
    public init() {}

    init(positions: Int, speeds: Int, courses: Int) {
        self.positions = positions
        (self.speeds, self.courses) = (speeds, courses)
    }

    /// Returns the sums.
    public static func + (a: Self, b: Self) -> Self {
        Self(positions: a.positions + b.positions, speeds: a.speeds + b.speeds, courses: a.courses + b.courses)
    }
}

/// The growth of the radius during dead reckoning without satellites: with the distance since the
/// last fix, and with time.
struct DeadReckoning: Sendable {
    private var start: (radius: Double, at: Double)?
    private var last: Coordinate?
    private var distance = 0.0

    /// Starts dead reckoning from a position: a satellite fix or the first estimated position.
    mutating func begin(radius: Double, at coordinate: Coordinate, seconds: Double) {
        start = (radius, seconds)
        last = coordinate
        distance = 0
    }

    /// Returns R68 in metres for an estimated position; nil if there is no position to start from.
    mutating func radius(_ coordinate: Coordinate, at seconds: Double) -> Double? {
        guard let start else { return nil }
        if let last { distance += last.nearbyDistance(to: coordinate) }
        last = coordinate
        let drift = AccuracyConstants.driftPerMetre * distance + AccuracyConstants.driftPerSecond * (seconds - start.at)
        let grown = max(start.radius + drift, AccuracyConstants.kind(.estimated).floor)
        return min(grown, max(AccuracyConstants.maxDrift, start.radius))
    }
}

/// Tracks whether the receiver has only recently obtained its first fix or regained it.
struct FirstFixPenalty: Sendable {
    private var hadNoFix = false
    private var lastFix: Double?
    /// Seconds between the last two fixes.
    private var interval = 0.0
    /// The time of the first fix after none.
    private var began: Double?

    /// Records an epoch without a position, or with an estimated one.
    mutating func recordEpochWithoutFix() { hadNoFix = true }

    /// Records an epoch with a position from satellites and returns the factor on its radius, 1 or
    /// more.
    ///
    /// A fix that exists in the receiver's first epoch does not count as a first fix: the receiver
    /// may have had it for days.
    mutating func factor(at seconds: Double) -> Double {
        if let lastFix {
            let gap = seconds - lastFix
            let isGap = gap > AccuracyConstants.maxGap && gap > AccuracyConstants.maxGapInIntervals * interval
            if isGap { began = seconds }
            interval = isGap && hadNoFix ? interval : gap
        } else if hadNoFix {
            began = seconds
        }
        (lastFix, hadNoFix) = (seconds, false)
        guard let began, seconds - began < AccuracyConstants.firstFixSpan else { return 1 }
        return 1 + AccuracyConstants.firstFixExcess * (1 - (seconds - began) / AccuracyConstants.firstFixSpan)
    }
}

/// Counts seconds between epochs: by the receiver's times if both epochs have one, otherwise by
/// arrival times.
struct EpochClock: Sendable {
    /// The largest forward step of a receiver's clock, in seconds. A larger step means that the
    /// clock was set, and the arrival times count.
    private static let maxStep = 3600.0

    /// Seconds since the first epoch.
    private(set) var now = 0.0
    /// Whether the receiver's clock went back because the receiver or a recording restarted. The
    /// displacement between two such epochs is not motion.
    private(set) var didReset = false
    private var last: (time: TimeOfDay?, arrived: Instant)?

    /// Advances to the next epoch and returns ``now``.
    mutating func advance(to epoch: Epoch) -> Double {
        defer { last = (epoch.time, epoch.closed) }
        guard let last else { return now }
        let byArrival = max(0, (epoch.closed - last.arrived).seconds)
        let reported = step(from: last.time, to: epoch.time)
        didReset = reported.map { $0 < 0 } ?? false
        now += reported.flatMap { $0 > 0 && $0 <= EpochClock.maxStep ? $0 : nil } ?? byArrival
        return now
    }

    /// Returns the seconds between two reported times. If the later time is smaller by more than
    /// half a day, midnight lies between them.
    private func step(from earlier: TimeOfDay?, to later: TimeOfDay?) -> Double? {
        guard let earlier, let later else { return nil }
        let day = Int(UTCTime.millisecondsPerDay)
        var milliseconds = later.milliseconds - earlier.milliseconds
        if milliseconds < -day / 2 { milliseconds += day }
        return Double(milliseconds) / 1000
    }
}
