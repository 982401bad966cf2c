extension SentenceEncoder {
    /// The edition of NMEA 0183 a receiver speaks, as far as its sentences show.
    public enum Version: Sendable, Comparable {
        /// 2.3: the mode indicator at the end of RMC, GLL and VTG.
        case v2_3
        /// 4.0: as 2.3 for every sentence here.
        case v4_0
        /// 4.10: system and signal ids, navigational status in RMC and GNS.
        case v4_10
        /// 4.11: numbers within each constellation also for QZSS.
        case v4_11

        var hasSystemIDs: Bool { self >= .v4_10 }
    }

    /// How one make of receiver prints what it knows.
    public struct Layout: Sendable {
        /// Edition of the standard.
        public var version: Version
        /// Talker of the position sentences: `GP` or `GN`.
        public var talker: String
        /// Talker of BeiDou's satellites: `GB`, before 4.11 often `BD`.
        public var beidouTalker = "GB"
        /// GSA carries the talker of its constellation instead of the common one.
        public var separateGSATalkers = false
        /// Decimals of the seconds, 0 ... 3.
        public var timeDecimals = 2
        /// Decimals of the minutes of latitude and longitude, 0 ... 8.
        public var minuteDecimals = 5
        /// Decimals of heights.
        public var altitudeDecimals = 1
        /// Decimals of dilutions of precision.
        public var dopDecimals = 2
        /// Decimals of speed over ground, knots and km/h.
        public var speedDecimals = 3
        /// Decimals of courses.
        public var courseDecimals = 2
        /// What stands for an unknown dilution of precision; empty where the field stays empty.
        public var unknownDop = "99.99"
        /// Units (`M`, `T`, `N`, `K`) are printed although the value before them is empty.
        public var keepsUnits = false
        /// The greatest count of satellites GGA admits to.
        public var greatestSatelliteCount = 99

        /// A layout with u-blox's decimals.
        public init(version: Version, talker: String) {
            self.version = version
            self.talker = talker
        }
    }

    /// A satellite navigation system; raw values are the system ids of NMEA 4.10.
    public enum System: Int, Sendable, CaseIterable {
        case gps = 1
        case glonass, galileo, beidou, qzss, navic
    }

    /// A satellite in view.
    public struct Satellite: Sendable, Equatable {
        /// Its constellation.
        public var system: System
        /// Its number within the constellation, from 1.
        public var number: Int
        /// Signal id of NMEA 4.10, one hexadecimal digit.
        public var signal: Int
        /// Degrees above the horizon; nil when no orbit is known.
        public var elevation: Int?
        /// Degrees clockwise from north; nil when no orbit is known.
        public var azimuth: Int?
        /// dB-Hz; nil when not tracked.
        public var carrierToNoise: Int?
        /// Counts towards the fix.
        public var used: Bool

        /// A satellite nothing but the identity of which is known.
        public init(system: System, number: Int, signal: Int = 1) {
            (self.system, self.number, self.signal, used) = (system, number, signal, false)
        }
    }
}

extension SentenceEncoder.Layout {
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

    /// The number GSA and GSV print for a satellite.
    func identifier(of satellite: SentenceEncoder.Satellite) -> Int {
        switch satellite.system {
        case .glonass: 64 + satellite.number
        case .galileo where !version.hasSystemIDs: 300 + satellite.number
        case .qzss where version < .v4_11: 192 + satellite.number
        default: satellite.number
        }
    }
}
