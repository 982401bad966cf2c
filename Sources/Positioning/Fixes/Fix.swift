import Chronology
import Geodesy

/// What one receiver said about one epoch: exactly one value per epoch, with or without a position.
///
/// A value that the receiver did not state, or that must not be believed, is nil.
public struct Fix: Sendable, Equatable {
    /// UTC of the epoch (not of arrival); nil when no date is known.
    public var time: UTCTime?
    /// Nil when ``mode`` is ``FixMode/none``.
    public var coordinate: Coordinate?
    /// Metres; radius of the circle that holds the true position with probability 68 %. Present whenever ``coordinate`` is.
    public var horizontalAccuracy: Double?
    /// Where ``horizontalAccuracy`` comes from.
    public var accuracySource: AccuracySource?
    /// Metres above mean sea level: the receiver's geoid, or EGM96 where it states only the other altitude.
    public var altitude: Double?
    /// Metres above the WGS-84 ellipsoid; by the EGM96 geoid where the receiver states only the other altitude (`docs/derived-values.md`).
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
    /// Dimensions of the fix.
    public var mode: FixMode
    /// How the position was made.
    public var quality: FixQuality
    /// Satellites used, as the receiver counts them.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision, 0.01 ..< 1000; by the directions of the satellites in use where the receiver states none.
    public var hdop: Double?

    /// An epoch in which nothing is known yet.
    public init(mode: FixMode = .none, quality: FixQuality = .none) {
        self.mode = mode
        self.quality = quality
    }
}

/// Dimensions of a fix.
public enum FixMode: String, Sendable, Codable, CaseIterable {
    /// No position.
    case none
    /// Latitude and longitude, with the altitude assumed.
    case twoD = "2d"
    /// Latitude, longitude and altitude.
    case threeD = "3d"
}

/// How a position was made, from GGA field 6 or the FAA mode of RMC, GLL, VTG and GNS; raw values are the wire's names.
public enum FixQuality: String, Sendable, Codable, CaseIterable {
    /// No position.
    case none
    /// Code ranges of the satellites alone.
    case autonomous
    /// SBAS or DGPS corrections.
    case differential
    /// PPS, or a precise point position.
    case precise
    /// Carrier phase with integers fixed.
    case rtkFixed
    /// Carrier phase with ambiguities afloat.
    case rtkFloat
    /// Dead reckoning.
    case estimated
    /// Entered by hand.
    case manual
    /// The receiver says that it simulates.
    case simulated
}

/// Where a horizontal accuracy comes from, best first (`docs/accuracy.md` section 2); raw values are the wire's names.
public enum AccuracySource: String, Sendable, Codable, CaseIterable {
    /// `PUBX,00` horizontal accuracy of u-blox receivers.
    case pubx
    /// `PSTMKFCOV`, the Kalman filter's errors of ST's receivers.
    case pstmkfcov
    /// `PQTMEPE`, errors along the axes of Quectel's receivers.
    case pqtmepe
    /// `PQTMGPS` horizontal accuracy of Quectel's receivers.
    case pqtmgps
    /// GST, one-sigma errors of latitude and longitude.
    case gst
    /// `PSRFEPE`, expected horizontal error of SiRF's receivers.
    case psrfepe
    /// `PGRME`, expected horizontal error of Garmin's receivers, taken to hold half.
    case pgrme
    /// GBS, expected errors of latitude and longitude.
    case gbs
    /// HDOP times a constant per kind of fix.
    case hdop
    /// Dead reckoning: the last accuracy, grown with way and time since.
    case deadReckoning
    /// No evidence but the kind of fix.
    case assumed
}
