import Chronology
import Geodesy
import Positioning

/// What one epoch says of where the device is: the same for all conditions. ``FenceWitness`` makes it.
public struct FenceEvidence: Sendable, Equatable {
    /// Where the device was before.
    public struct Earlier: Sendable, Equatable {
        /// When that was seen.
        public var at: Instant
        /// By the receiver's time; nil while no date is known.
        public var time: UTCTime?
        /// The position.
        public var coordinate: Coordinate
        /// Metres per second by Doppler; negative where none is stated.
        public var speed: Double
        /// Metres from there to the position now.
        public var way: Double

        /// A position before.
        public init(at: Instant, time: UTCTime? = nil, coordinate: Coordinate, speed: Double = -1, way: Double) {
            (self.at, self.time, self.coordinate, self.speed, self.way) = (at, time, coordinate, speed, way)
        }
    }

    /// When it came.
    public var at: Instant
    /// Of the fix, by the receiver; nil while no date is known.
    public var time: UTCTime?
    /// Where the device is: the fix's position, or the averaged place of a device at rest.
    public var coordinate: Coordinate
    /// Metres; 68 % radius of ``coordinate``.
    public var radius: Double
    /// Metres per second by Doppler; negative where the receiver states none.
    public var speed: Double
    /// Whether the receiver states speeds, if not in this epoch.
    public var hasDoppler: Bool
    /// Decimetres that Doppler says were driven since the start; wraps around.
    public var odometer: UInt32
    /// The device is at rest, and has been for longer than this epoch.
    public var isAtRest: Bool
    /// Off the last resting place, and Doppler says that less than 0.6 of the way was driven: perhaps an error of the receiver.
    public var isUndriven: Bool
    /// The receiver has halted as nothing does; for a minute positions need longer to be believed.
    public var isDoubtful: Bool
    /// The movement told of last was an error of the receiver: the device never left ``coordinate``.
    public var isRetraction: Bool
    /// Since when no five minutes have gone by without evidence, but for a device at rest.
    public var unbrokenSince: Instant
    /// The evidence before this; nil for the first, and where the positions do not compare.
    public var earlier: Earlier?

    /// Evidence of a position alone.
    public init(
        at: Instant, time: UTCTime? = nil, coordinate: Coordinate, radius: Double, speed: Double = -1, odometer: UInt32 = 0,
        isAtRest: Bool = false, isUndriven: Bool = false, isDoubtful: Bool = false, isRetraction: Bool = false,
        unbrokenSince: Instant? = nil, earlier: Earlier? = nil
    ) {
        (self.at, self.time, self.coordinate, self.radius) = (at, time, coordinate, radius)
        (self.speed, self.odometer, hasDoppler) = (speed, odometer, speed >= 0)
        self.isUndriven = isUndriven
        (self.isAtRest, self.isDoubtful, self.isRetraction, self.earlier) = (isAtRest, isDoubtful, isRetraction, earlier)
        self.unbrokenSince = unbrokenSince ?? Instant(nanoseconds: .min)
    }

    /// The evidence before came so long ago that nothing is known of the way; also where there is none.
    var isSparse: Bool { earlier.map { at - $0.at > SpikeRule.longestStep } ?? true }
}
