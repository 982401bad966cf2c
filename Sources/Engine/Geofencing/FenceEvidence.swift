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
        public var speed: Double
        /// The distance in metres from this position to the current one.
        public var distance: Double

        /// Creates a previous position.
        public init(at: Instant, time: UTCTime? = nil, coordinate: Coordinate, speed: Double = -1, distance: Double) {
            self.at = at
            self.time = time
            self.coordinate = coordinate
            self.speed = speed
            self.distance = distance
        }
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
