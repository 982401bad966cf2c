import Chronology

extension SentenceEncoder {
    /// The navigation solution of a receiver at one epoch. The encoder writes an empty field for
    /// each nil value.
    public struct Solution: Sendable, Equatable {
        /// Milliseconds since UTC midnight, 0 ..< 86,401,000.
        public var time: Int?
        /// UTC day.
        public var date: CivilDate?
        /// Kind of fix.
        public var fix: Fix = .none
        /// Degrees north, -90 ... 90.
        public var latitude: Double?
        /// Degrees east, -180 ... 180.
        public var longitude: Double?
        /// Metres above mean sea level.
        public var altitude: Double?
        /// Metres from the ellipsoid up to mean sea level.
        public var geoidSeparation: Double?
        /// Metres per second over ground.
        public var speed: Double?
        /// Degrees clockwise from true north.
        public var course: Double?
        /// Metres per second, up positive.
        public var climb: Double?
        /// Magnetic variation in degrees, east positive.
        public var magneticVariation: Double?
        /// Position, horizontal, vertical and time dilution of precision.
        public var pdop, hdop, vdop, tdop: Double?
        /// Standard deviations along the axes, in metres.
        public var latitudeError, longitudeError, altitudeError: Double?
        /// The number of satellites used in the fix.
        public var satellitesUsed = 0

        /// Creates a solution without any values.
        public init() {}
    }

    /// The kind of a fix, with its code in each sentence.
    public enum Fix: Sendable, Equatable {
        case none, autonomous, differential, precise, rtkFixed, rtkFloat, estimated

        /// GGA field 6.
        var quality: Int {
            switch self {
            case .none: 0
            case .autonomous: 1
            case .differential: 2
            case .precise: 3
            case .rtkFixed: 4
            case .rtkFloat: 5
            case .estimated: 6
            }
        }

        /// The mode indicator of RMC, GLL, VTG and GNS.
        var mode: String {
            switch self {
            case .none: "N"
            case .autonomous: "A"
            case .differential: "D"
            case .precise: "P"
            case .rtkFixed: "R"
            case .rtkFloat: "F"
            case .estimated: "E"
            }
        }

        /// The status field of RMC and GLL.
        var status: String { self == .none ? "V" : "A" }
    }
}

// Fields that several sentences share.
extension SentenceEncoder {
    mutating func timeField(_ milliseconds: Int?) {
        appendEmptyFields()
        guard let milliseconds, milliseconds >= 0 else { return }
        let second = milliseconds / 1000
        append(integer: Int64(second / 3600), width: 2)
        append(integer: Int64(second / 60 % 60), width: 2)
        let places = min(max(layout.timeDecimals, 0), 3)
        let fraction = Int64(milliseconds % 1000) / SentenceEncoder.powerOfTen(3 - places)
        append(fixed: Int64(second % 60) * SentenceEncoder.powerOfTen(places) + fraction, places: places, width: 2)
    }

    /// Writes latitude, N or S, longitude, E or W; writes four empty fields if either coordinate is
    /// unknown.
    mutating func positionFields(_ solution: Solution, decimals: Int? = nil) {
        guard let latitude = solution.latitude, let longitude = solution.longitude else { return appendEmptyFields(4) }
        angleField(latitude, width: 2, marks: ("N", "S"), decimals: decimals)
        angleField(longitude, width: 3, marks: ("E", "W"), decimals: decimals)
    }

    private mutating func angleField(_ degrees: Double, width: Int, marks: (String, String), decimals: Int?) {
        let places = min(max(decimals ?? layout.minuteDecimals, 0), 8)
        let perDegree = 60 * SentenceEncoder.powerOfTen(places)
        let total = Int64((min(abs(degrees), 360) * Double(perDegree)).rounded())
        appendEmptyFields()
        append(integer: total / perDegree, width: width)
        append(fixed: total % perDegree, places: places, width: 2)
        appendField(degrees < 0 ? marks.1 : marks.0)
    }

    mutating func dopField(_ value: Double?) {
        if let value { appendField(value, places: layout.dopDecimals) } else { appendField(layout.unknownDOPText) }
    }

    /// Writes a value and its unit.
    mutating func field(_ value: Double?, places: Int, unit: String) {
        appendField(value, places: places)
        appendField(value != nil || layout.writesUnitsOfEmptyValues ? unit : "")
    }

    static let knotsPerMetrePerSecond = 3600.0 / 1852
}
