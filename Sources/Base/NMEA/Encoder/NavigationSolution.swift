import Chronology

/// The navigation solution of a receiver at one epoch. The encoder writes an empty field for
/// each nil value.
public struct NavigationSolution: Sendable, Equatable {
    /// Milliseconds since UTC midnight, 0 ..< 86,401,000.
    public var time: Int?
    /// UTC day.
    public var date: CivilDate?
    /// Kind of fix.
    public var fix = FAAMode.none
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

    /// The root of the summed squares of both horizontal errors, in metres; u-blox calls it
    /// horizontal accuracy.
    var horizontalError: Double? {
        guard let latitudeError, let longitudeError else { return nil }
        return (latitudeError * latitudeError + longitudeError * longitudeError).squareRoot()
    }
}

/// The codes of a mode in the sentences that state it.
extension FAAMode {
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
        case .manual: 7
        case .simulated: 8
        }
    }

    /// The mode indicator of RMC, GLL, VTG and GNS.
    var letter: String { String(UnicodeScalar(rawValue)) }

    /// The status field of RMC and GLL.
    var status: String { self == .none ? "V" : "A" }
}
