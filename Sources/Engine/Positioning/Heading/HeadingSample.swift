import Chronology

@_exported import enum SextantAPI.HeadingSource
@_exported import enum SextantAPI.VariationSource

/// The direction in which the vehicle points.
///
/// At least one of the two directions is known. The other one follows from the variation
/// (`docs/derived-values.md`).
public struct HeadingSample: Sendable, Equatable {
    /// Degrees clockwise from true north, 0 ..< 360; nil if only the magnetic heading is known.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0 ..< 360; nil if only the true heading is known.
    public var magneticHeading: Double?
    /// Half-width in degrees of the interval around the reported direction that contains the true
    /// one with a probability of 68 %; nil if the source reports none.
    public var accuracy: Double?
    /// What reported the direction.
    public var source: HeadingSource
    /// Degrees from true north to magnetic north, east positive; nil if unknown.
    public var variation: Double?
    /// What reported the variation.
    public var variationSource: VariationSource?
    /// UTC of the heading; nil if the receiver has reported no date.
    public var time: UTCTime?
    /// Whether the receiver is simulated.
    public var isSimulated = false

    /// Creates a heading from a direction relative to true or to magnetic north, in degrees.
    public init(_ degrees: Double, isMagnetic: Bool, source: HeadingSource, accuracy: Double? = nil) {
        self.source = source
        self.accuracy = accuracy
        if isMagnetic {
            magneticHeading = HeadingSample.normalized(degrees)
        } else {
            trueHeading = HeadingSample.normalized(degrees)
        }
    }

    /// Computes the missing direction from a variation.
    public mutating func join(_ variation: Double, from source: VariationSource) {
        (self.variation, variationSource) = (variation, source)
        if let magneticHeading, trueHeading == nil {
            trueHeading = HeadingSample.normalized(magneticHeading + variation)
        } else if let trueHeading, magneticHeading == nil {
            magneticHeading = HeadingSample.normalized(trueHeading - variation)
        }
    }

    /// Returns an angle as 0 ..< 360 degrees.
    static func normalized(_ degrees: Double) -> Double {
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        // A tiny negative angle plus 360 is 360.
        let positive = turned < 0 ? turned + 360 : turned
        return positive < 360 ? positive : 0
    }

    /// Returns the angle between two directions in degrees, 0 ... 180.
    public static func difference(_ a: Double, _ b: Double) -> Double {
        let turned = normalized(a - b)
        return min(turned, 360 - turned)
    }
}

extension HeadingSource {
    /// Whether this source is better.
    public func isBetter(than other: HeadingSource) -> Bool { rank < other.rank }

    private var rank: Int {
        switch self {
        case .inertial: 0
        case .dualAntenna: 1
        case .ths: 2
        case .hdt: 3
        case .hdg: 4
        case .hdm: 5
        case .vhw: 6
        case .course: 7
        case .unknown: 8
        }
    }
}
