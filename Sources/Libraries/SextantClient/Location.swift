@_exported import struct Chronology.UTCTime

/// A position of the device. Values that are not known are nil.
public struct Location: Codable, Hashable, Sendable {
    /// UTC of the position, not of its arrival. Nil until the receiver reports the date.
    public var timestamp: UTCTime?
    /// Latitude in degrees north, -90 to 90, WGS-84.
    public var latitude: Double
    /// Longitude in degrees east, -180 to 180, WGS-84.
    public var longitude: Double
    /// The radius in metres that contains the true position with a probability of 68 %.
    public var horizontalAccuracy: Double
    /// The source of ``horizontalAccuracy``.
    public var accuracySource: AccuracySource
    /// Altitude in metres above mean sea level.
    public var altitude: Double?
    /// Altitude in metres above the WGS-84 ellipsoid.
    public var ellipsoidalAltitude: Double?
    /// Accuracy of the altitude in metres, 68 %.
    public var verticalAccuracy: Double?
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// Accuracy of the speed in metres per second, 68 %.
    public var speedAccuracy: Double?
    /// Course in degrees clockwise from true north, 0 to 360. Nil at rest.
    public var course: Double?
    /// Accuracy of the course in degrees, 68 %.
    public var courseAccuracy: Double?
    /// Whether the altitude is measured or assumed.
    public var mode: Dimensions
    /// The method by which the receiver obtained the position.
    public var quality: Quality
    /// Number of satellites used, as the receiver counts them.
    public var satellitesUsed: Int?
    /// Horizontal dilution of precision, without a unit.
    public var hdop: Double?
    /// The datum of the position by the receiver's name for it; nil for WGS-84. The accuracies
    /// include the difference from WGS-84.
    public var datum: String?
    /// True if the position is simulated, otherwise nil.
    public var simulated: Bool?
    /// True if the receiver is an accessory of the device, on USB; otherwise nil.
    public var accessory: Bool?
    /// Name of the receiver.
    public var receiver: String

    /// The source of a horizontal accuracy, best first.
    public struct AccuracySource: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The receiver's own estimate in PUBX,00 (u-blox).
        public static let pubx = Self(rawValue: "pubx")
        /// The errors of the receiver's filter in PSTMKFCOV (ST).
        public static let pstmkfcov = Self(rawValue: "pstmkfcov")
        /// The receiver's own estimate in PQTMEPE (Quectel).
        public static let pqtmepe = Self(rawValue: "pqtmepe")
        /// The receiver's own estimate in PQTMGPS (Quectel).
        public static let pqtmgps = Self(rawValue: "pqtmgps")
        /// The receiver's one-sigma errors in GST.
        public static let gst = Self(rawValue: "gst")
        /// The receiver's one-sigma error ellipse in GFA.
        public static let gfa = Self(rawValue: "gfa")
        /// The receiver's own estimate in PQXFI (Qualcomm).
        public static let pqxfi = Self(rawValue: "pqxfi")
        /// The receiver's one-sigma error ellipse in PGLOR (Broadcom).
        public static let pglor = Self(rawValue: "pglor")
        /// The receiver's own estimate in PSRFEPE (SiRF).
        public static let psrfepe = Self(rawValue: "psrfepe")
        /// The receiver's own estimate in PGRME (Garmin).
        public static let pgrme = Self(rawValue: "pgrme")
        /// The receiver's expected errors in GBS.
        public static let gbs = Self(rawValue: "gbs")
        /// HDOP multiplied by a constant for the kind of fix.
        public static let hdop = Self(rawValue: "hdop")
        /// The last accuracy, increased with distance and time since then.
        public static let deadReckoning = Self(rawValue: "deadReckoning")
        /// A value assumed from the kind of fix alone.
        public static let assumed = Self(rawValue: "assumed")
        /// The size of the area to which the location of this program is reduced.
        public static let reduced = Self(rawValue: "reduced")
        /// The values that this library knows.
        public static let allCases: [Self] = [
            pubx, pstmkfcov, pqtmepe, pqtmgps, gst, gfa, pqxfi, pglor, psrfepe, pgrme, gbs, hdop, deadReckoning,
            assumed, reduced,
        ]
    }

    /// The method by which a receiver obtained a position.
    public struct Quality: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no position; never in a ``Location``.
        public static let none = Self(rawValue: "none")
        /// Satellites alone.
        public static let autonomous = Self(rawValue: "autonomous")
        /// With SBAS or DGPS corrections.
        public static let differential = Self(rawValue: "differential")
        /// PPS or precise point positioning.
        public static let precise = Self(rawValue: "precise")
        /// Carrier phase with fixed integer ambiguities.
        public static let rtkFixed = Self(rawValue: "rtkFixed")
        /// Carrier phase with float ambiguities.
        public static let rtkFloat = Self(rawValue: "rtkFloat")
        /// Dead reckoning.
        public static let estimated = Self(rawValue: "estimated")
        /// Manual input.
        public static let manual = Self(rawValue: "manual")
        /// The receiver reports simulator mode.
        public static let simulated = Self(rawValue: "simulated")
        /// The values that this library knows.
        public static let allCases: [Self] = [
            none, autonomous, differential, precise, rtkFixed, rtkFloat, estimated, manual, simulated,
        ]
    }

    /// The dimensions of a position.
    public struct Dimensions: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The altitude is assumed.
        public static let two = Self(rawValue: "2d")
        /// The altitude is measured.
        public static let three = Self(rawValue: "3d")
        /// The values that this library knows.
        public static let allCases: [Self] = [two, three]
    }
}

/// The location as ``Client/location(maximumAge:timeout:receiver:)`` returns it.
public struct RecentLocation: Codable, Hashable, Sendable {
    /// The position.
    public var location: Location
    /// Its age in seconds, since the daemon received it.
    public var age: Double
    /// Since when the device is stationary. Nil while it moves, and while no stream needs to know.
    public var restingSince: UTCTime?
    /// The time in seconds since the daemon received the first byte of the receiver's burst. Nil if
    /// that was not observed.
    public var burstAge: Double?
}

/// A stay at a place of at least five minutes within 50 m.
public struct Visit: Codable, Hashable, Sendable {
    /// Time of the arrival. Nil if no date was known.
    public var arrival: UTCTime?
    /// Time of the last position at the place. Nil during the visit.
    public var departure: UTCTime?
    /// Latitude of the centre in degrees north, WGS-84.
    public var latitude: Double
    /// Longitude of the centre in degrees east, WGS-84.
    public var longitude: Double
    /// The radius in metres around the centre that contained the device with a probability of 68 %.
    public var horizontalAccuracy: Double
    /// Whether the visit is over, even if ``departure`` is nil because no date was known.
    public var departed: Bool
}

/// An element of ``Client/visits()``.
public struct VisitUpdate: Codable, Hashable, Sendable {
    /// A visit that has begun or ended. Nil in the first element if there is no current visit.
    public var visit: Visit?
    /// Why this program gets no visits. Nil if it does.
    public var permissionDenied: String?
}

// Times on the socket are RFC 3339 in UTC.
extension UTCTime: Codable {
    /// Decodes an RFC 3339 time.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = UTCTime(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no RFC 3339 time: \(text)")
        }
        self = time
    }

    /// Encodes the time as RFC 3339 in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
