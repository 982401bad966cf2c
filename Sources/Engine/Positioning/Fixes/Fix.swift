import Chronology
import Geodesy

@_exported import enum SextantAPI.AccuracySource
@_exported import enum SextantAPI.FixMode
@_exported import enum SextantAPI.FixQuality

/// The solution of one receiver for one epoch: exactly one value per epoch, with or without a
/// position.
///
/// A value that the receiver did not report, or that is invalid, is nil.
public struct Fix: Sendable, Equatable {
    /// The UTC of the epoch (not of arrival); nil if the date is unknown.
    public var time: UTCTime?
    /// The position; nil when ``mode`` is ``FixMode/none``.
    public var coordinate: Coordinate?
    /// The radius in metres of the circle that contains the true position with probability 68 %.
    /// Present whenever ``coordinate`` is.
    public var horizontalAccuracy: Double?
    /// The source of ``horizontalAccuracy``.
    public var accuracySource: AccuracySource?
    /// Metres above mean sea level, by the receiver's geoid. EGM96 if the receiver reports only the
    /// other altitude without a geoid separation.
    public var altitude: Double?
    /// Metres above the WGS-84 ellipsoid. Derived with EGM96 if the receiver reports only the other
    /// altitude without a geoid separation (`docs/derived-values.md`).
    public var ellipsoidalAltitude: Double?
    /// Metres, 68 %.
    public var verticalAccuracy: Double?
    /// Metres per second over ground, 0 or more.
    public var speed: Double?
    /// Metres per second, 68 %.
    public var speedAccuracy: Double?
    /// Degrees clockwise from true north, 0 ..< 360.
    public var course: Double?
    /// Degrees, 68 %.
    public var courseAccuracy: Double?
    /// The dimensions of the fix.
    public var mode: FixMode
    /// The quality of the position.
    public var quality: FixQuality
    /// Satellites used, as the receiver counts them: in GGA, or in GNS and GSA if GGA has the 12
    /// that it cannot exceed on many receivers.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision, 0.01 ..< 1000. Computed from the directions of the
    /// satellites used if the receiver reports none.
    public var hdop: Double?

    /// The datum of the position if it is not WGS-84, by the name that the receiver reports. The
    /// accuracies then include the difference of the datums.
    public var datum: String?

    /// Whether the position is simulated: the receiver reports simulator mode, or announced itself
    /// as simulated.
    public var isSimulated = false

    /// Whether the date of ``time`` is only that of the reference, which is the host's clock: the
    /// receiver has reported none.
    public var isDateGuessed = false

    /// Creates a fix without a position or other values.
    public init(mode: FixMode = .none, quality: FixQuality = .none) {
        self.mode = mode
        self.quality = quality
    }
}
