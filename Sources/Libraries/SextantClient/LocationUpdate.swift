/// An element of `Client.locations`: a position, or why there is none.
public struct LocationUpdate: Hashable, Sendable {
    /// The latest position; nil if there is none to send.
    public var location: Location?
    /// Seconds from the end of the location's epoch to the reply; nil below 0.1.
    public var age: Double?
    /// True in the last update before the stream pauses because the device is stationary; the
    /// location is then the averaged resting position. False in the first one after that, otherwise
    /// nil.
    public var stationary: Bool?
    /// Since when the device is stationary; nil unless ``stationary`` is true and the date known.
    public var restingSince: UTCTime?
    /// Why there is no position now; nil if there is one, or if the program may not know it.
    public var unavailable: Cause?
    /// Why there is no position or a reduced one, and how to fix that.
    public var detail: String?
    /// Why the program may not know the location, or only a reduced one.
    public var permission: PermissionFlags
    /// The number of updates of this sequence so far that newer ones replaced before the program
    /// took them.
    public var dropped: Int

    /// The cause of a missing position.
    public struct Cause: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No receiver has been found or configured.
        public static let noReceiver = Self(rawValue: "noReceiver")
        /// The receiver was present and has disappeared.
        public static let receiverLost = Self(rawValue: "receiverLost")
        /// The daemon has no permission to open the port.
        public static let permissionDenied = Self(rawValue: "permissionDenied")
        /// Another program uses the port.
        public static let portBusy = Self(rawValue: "portBusy")
        /// The port is open, but the receiver sends nothing.
        public static let receiverSilent = Self(rawValue: "receiverSilent")
        /// The receiver sends bytes, but no GNSS NMEA at any baud rate.
        public static let notUnderstood = Self(rawValue: "notUnderstood")
        /// The receiver sends a binary protocol instead of NMEA; the detail names it.
        public static let binaryProtocol = Self(rawValue: "binaryProtocol")
        /// The receiver sends data without a fix.
        public static let noFix = Self(rawValue: "noFix")
        /// The receiver reports an open or shorted antenna.
        public static let antennaFault = Self(rawValue: "antennaFault")
        /// The daemon has not received a complete epoch yet.
        public static let starting = Self(rawValue: "starting")
        /// The values that this library knows.
        public static let allCases: [Self] = [
            noReceiver, receiverLost, permissionDenied, portBusy, receiverSilent, notUnderstood, binaryProtocol, noFix,
            antennaFault, starting,
        ]
    }
}

extension LocationUpdate: Decodable {
    private enum CodingKeys: String, CodingKey {
        case sequence, dropped, location, age, stationary, restingSince, locationUnavailable, cause, detail
    }

    /// Decodes a reply of `io.sextant.Location.Subscribe`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // Counts the updates of one connection; `dropped` contains what a program needs of it.
        _ = try members.decode(Int.self, forKey: .sequence)
        dropped = try members.decode(Int.self, forKey: .dropped)
        location = try members.decodeIfPresent(Location.self, forKey: .location)
        age = try members.decodeIfPresent(Double.self, forKey: .age)
        stationary = try members.decodeIfPresent(Bool.self, forKey: .stationary)
        restingSince = try members.decodeIfPresent(UTCTime.self, forKey: .restingSince)
        let isUnavailable = try members.decodeIfPresent(Bool.self, forKey: .locationUnavailable) ?? false
        let cause = try members.decodeIfPresent(Cause.self, forKey: .cause)
        unavailable = isUnavailable ? cause ?? Cause(rawValue: "") : nil
        detail = try members.decodeIfPresent(String.self, forKey: .detail)
        permission = try PermissionFlags(from: decoder)
    }
}

/// The purpose of a stream, which sets its rate.
public struct Configuration: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// At most one update per 5 s.
    public static let `default` = Self(rawValue: "default")
    /// Every epoch, up to 5 per second, as early as possible.
    public static let automotiveNavigation = Self(rawValue: "automotiveNavigation")
    /// At most one update per second.
    public static let otherNavigation = Self(rawValue: "otherNavigation")
    /// At most one update per second.
    public static let fitness = Self(rawValue: "fitness")
    /// At most one update per second.
    public static let airborne = Self(rawValue: "airborne")
    /// The values that this library knows.
    public static let allCases: [Self] = [`default`, automotiveNavigation, otherNavigation, fitness, airborne]
}

/// The required accuracy. Lower accuracy means fewer updates, and receivers may sleep between them.
public struct DesiredAccuracy: OpenEnumeration {
    /// The value on the socket.
    public let rawValue: String
    /// Creates a value, which need not be one of ``allCases``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The best accuracy of the receiver, at the rate of the configuration.
    public static let best = Self(rawValue: "best")
    /// 100 m: at most one update per 10 s.
    public static let hundredMetres = Self(rawValue: "hundredMetres")
    /// 1 km: at most one update per minute.
    public static let kilometre = Self(rawValue: "kilometre")
    /// 3 km: at most one update per 5 minutes.
    public static let threeKilometres = Self(rawValue: "threeKilometres")
    /// Identifies the town: at most one update per 15 minutes.
    public static let reduced = Self(rawValue: "reduced")
    /// The values that this library knows.
    public static let allCases: [Self] = [best, hundredMetres, kilometre, threeKilometres, reduced]
}

/// The parameters of `io.sextant.Location.Subscribe`.
struct SubscribeParameters: Encodable {
    var configuration: Configuration
    var receiver: String?
    var desiredAccuracy: DesiredAccuracy
    var distanceFilter: Double?
    var minimumInterval: Double?
    var maximumDelay: Double?
    var significantChange: Bool?
    var passive: Bool?
    var pausesWhenStationary: Bool?
    var application: String?
    var tolerance: Double?
}

/// The parameters of `io.sextant.Location.GetLocation`.
struct GetLocationParameters: Encodable {
    var maximumAge: Double?
    var timeout: Double?
    var receiver: String?
}
