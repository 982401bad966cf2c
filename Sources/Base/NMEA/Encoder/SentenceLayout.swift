/// The sentence format of a receiver model.
public struct SentenceLayout: Sendable {
    /// The version of NMEA 0183 that determines the format of a receiver's sentences.
    public enum Version: Sendable, Comparable {
        /// 2.3: adds the mode indicator at the end of RMC, GLL and VTG.
        case v2_3
        /// 4.0: equal to 2.3 for all sentences of this encoder.
        case v4_0
        /// 4.10: adds system ids, signal ids, and the navigational status in RMC and GNS.
        case v4_10
        /// 4.11: numbers QZSS satellites within their constellation too.
        case v4_11

        var hasSystemIDs: Bool { self >= .v4_10 }
    }

    /// Version of the standard.
    public var version: Version
    /// Talker of the position sentences: `GP` or `GN`.
    public var talker: String
    /// Talker of the BeiDou sentences: `GB`, before 4.11 often `BD`.
    public var beidouTalker = "GB"
    /// Whether GSA has the talker of its constellation instead of the common talker.
    public var separateGSATalkers = false
    /// Decimals of the seconds, 0 ... 3.
    public var timeDecimals = 2
    /// Decimals of the minutes of latitude and longitude, 0 ... 8.
    public var minuteDecimals = 5
    /// Decimals of altitudes.
    public var altitudeDecimals = 1
    /// Decimals of dilutions of precision.
    public var dopDecimals = 2
    /// Decimals of speed over ground, knots and km/h.
    public var speedDecimals = 3
    /// Decimals of courses.
    public var courseDecimals = 2
    /// The text for an unknown dilution of precision; an empty string leaves the field empty.
    public var unknownDOPText = "99.99"
    /// Whether the encoder writes a unit (`M`, `T`, `N`, `K`) after an empty value.
    public var writesUnitsOfEmptyValues = false
    /// The maximum satellite count in GGA.
    public var maxSatelliteCount = 99

    /// Creates a layout with the number of decimals that u-blox uses.
    public init(version: Version, talker: String) {
        self.version = version
        self.talker = talker
    }
}

extension SentenceLayout {
    /// Returns the talker of a constellation in GSA and GSV.
    func talker(of system: SentenceEncoder.System) -> String {
        switch system {
        case .gps: "GP"
        case .glonass: "GL"
        case .galileo: "GA"
        case .beidou: beidouTalker
        case .qzss: version >= .v4_11 ? "GQ" : "QZ"
        case .navic: "GI"
        }
    }

    /// Returns the number of a satellite in GSA and GSV.
    func identifier(of satellite: SentenceEncoder.Satellite) -> Int {
        switch satellite.system {
        case .glonass: 64 + satellite.number
        case .galileo where !version.hasSystemIDs: 300 + satellite.number
        case .qzss where version < .v4_11: 192 + satellite.number
        default: satellite.number
        }
    }
}
