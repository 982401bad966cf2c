import Chronology
import Geodesy
import Positioning

/// The evidence of one epoch about the device's position, common to all conditions.
/// ``EvidenceBuilder`` creates it.
public struct FenceEvidence: Sendable, Equatable {
    /// The longest time between two positions for which the path between them counts as known.
    static let maxPassage = Instant.Span.seconds(120)

    /// The previous position of the device.
    public struct PreviousPosition: Sendable, Equatable {
        /// When the position arrived.
        public var at: Instant
        /// The receiver's time; nil while no date is known.
        public var time: UTCTime?
        /// The previous position.
        public var coordinate: Coordinate
        /// The Doppler speed in metres per second; negative if the receiver reports none.
        public var speed = -1.0
        /// The distance in metres from this position to the current one.
        public var distance: Double
    }

    /// When the fix arrived.
    public var at: Instant
    /// The receiver's time of the fix; nil while no date is known.
    public var time: UTCTime?
    /// The position of the device: that of the fix, or the averaged position of a stationary
    /// device.
    public var coordinate: Coordinate
    /// The horizontal accuracy (R68) of ``coordinate``, in metres.
    public var radius: Double
    /// The Doppler speed in metres per second; negative if the receiver reports none.
    public var speed: Double
    /// Whether the receiver reports speeds, even if not in this epoch.
    public var hasDoppler: Bool
    /// The Doppler distance since the start, in decimetres; wraps around.
    public var dopplerDistance: UInt32
    /// Whether the device is stationary and has been for longer than this epoch.
    public var isAtRest: Bool
    /// Whether the position is away from the last stationary position although the Doppler distance
    /// covers less than 0.6 of the path. This may be an error of the receiver.
    public var lacksDopplerDistance: Bool
    /// Whether the speed recently fell faster than any vehicle brakes, or positions jumped.
    /// Confirmation of a crossing then takes longer.
    public var needsLongerConfirmation: Bool
    /// Whether the last reported movement was an error of the receiver: the device never left
    /// ``coordinate``.
    public var isRetraction: Bool
    /// The start of the period without a gap of more than five minutes in the evidence. Gaps while
    /// the device is stationary do not count.
    public var continuousSince: Instant
    /// The previous evidence; nil for the first, or if the positions are not comparable.
    public var previous: PreviousPosition?

    /// Creates evidence from a position.
    public init(
        at: Instant, time: UTCTime? = nil, coordinate: Coordinate, radius: Double, speed: Double = -1,
        dopplerDistance: UInt32 = 0, isAtRest: Bool = false, lacksDopplerDistance: Bool = false,
        needsLongerConfirmation: Bool = false, isRetraction: Bool = false, continuousSince: Instant? = nil,
        previous: PreviousPosition? = nil
    ) {
        self.at = at
        self.time = time
        self.coordinate = coordinate
        self.radius = radius
        self.speed = speed
        self.dopplerDistance = dopplerDistance
        hasDoppler = speed >= 0
        self.lacksDopplerDistance = lacksDopplerDistance
        self.isAtRest = isAtRest
        self.needsLongerConfirmation = needsLongerConfirmation
        self.isRetraction = isRetraction
        self.previous = previous
        self.continuousSince = continuousSince ?? Instant(nanoseconds: .min)
    }

    /// Whether the previous evidence is missing, or too old for the path to be known.
    var isSparse: Bool { previous.map { at - $0.at > OutlierRule.maxStep } ?? true }
}

/// A fix with its evidence and its position in space.
struct LocatedFix: Sendable {
    /// The fix as events contain it.
    let fix: Fix
    let evidence: FenceEvidence
    /// The position of the device in Earth-centred, Earth-fixed coordinates, in metres.
    let point: SIMD4<Double>
    /// The distance from a boundary in metres beyond which the fix cannot change a known state.
    let influenceDistance: Double

    init(_ fix: Fix, evidence: FenceEvidence) {
        self.fix = fix
        self.evidence = evidence
        point = ECEFBox.ecefPosition(of: evidence.coordinate)
        influenceDistance = ConditionTracker.influenceDistance(radius: evidence.radius)
    }

    /// Returns whether the fix is recent enough to evaluate new conditions.
    func isRecent(at now: Instant) -> Bool { evidence.isAtRest || now - evidence.at <= .seconds(10) }
}

/// The shortest time in which a device can travel a distance.
public enum ReachTime {
    /// The greatest acceleration in metres per second squared: that of a fast car from a
    /// standstill, which trains and aeroplanes never reach.
    private static let acceleration = 3.0
    /// Metres per second (160 km/h). The lower limit of the greatest speed before the next check.
    private static let minTopSpeed = 45.0
    /// The greatest speed before the next check, relative to the current speed.
    private static let topSpeedFactor = 1.3
    /// The longest time between checks. After a longer time the receiver's ephemerides become
    /// outdated.
    private static let maxTime = Instant.Span.seconds(1800)

    /// Returns the shortest time in which a device can travel a distance.
    ///
    /// - Parameters:
    ///   - metres: The distance, 0 or more.
    ///   - speed: The current speed in metres per second; nil if unknown.
    public static func time(to metres: Double, speed: Double?) -> Instant.Span {
        guard metres > 0 else { return .zero }
        let now = speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? minTopSpeed
        let topSpeed = max(minTopSpeed, topSpeedFactor * now)
        let accelerationDistance = (topSpeed * topSpeed - now * now) / (2 * acceleration)
        let seconds =
            if metres <= accelerationDistance {
                ((now * now + 2 * acceleration * metres).squareRoot() - now) / acceleration
            } else {
                (topSpeed - now) / acceleration + (metres - accelerationDistance) / topSpeed
            }
        return min(.seconds(seconds), maxTime)
    }
}
