import Foundation
internal import Geodesy

/// A position with its accuracy, altitude, speed, course and time.
///
/// A value that is not known is negative, as documented by each member. `horizontalAccuracy` is the
/// radius that contains the true position with a probability of 68 %.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What a location consists of. It never changes, so locations can be shared by all threads.
    struct Content: Sendable {
        var coordinate: CLLocationCoordinate2D
        var altitude: CLLocationDistance = 0
        var ellipsoidalAltitude: CLLocationDistance = 0
        var horizontalAccuracy: CLLocationAccuracy = 0
        var verticalAccuracy: CLLocationAccuracy = -1
        var course: CLLocationDirection = -1
        var courseAccuracy: CLLocationDirectionAccuracy = -1
        var speed: CLLocationSpeed = -1
        var speedAccuracy: CLLocationSpeedAccuracy = -1
        var timestamp = Date()
        var source: Source?
    }

    /// The two facts of ``CLLocationSourceInformation``.
    struct Source: Sendable {
        var isSimulatedBySoftware: Bool
        var isProducedByAccessory: Bool
    }

    let content: Content

    init(content: Content) {
        self.content = content
    }

    /// Creates a location at latitude and longitude 0, for variables that get another value later.
    public override init() {
        content = Content(coordinate: CLLocationCoordinate2D())
    }

    /// Creates a location of now, without altitude, speed and course.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        content = Content(coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
    }

    /// Creates a location without speed and course.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        content = Content(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with speed and course of unknown accuracy.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed,
        timestamp: Date
    ) {
        content = Content(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, speed: speed, timestamp: timestamp)
    }

    /// Creates a location with speed, course and their accuracies.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        content = Content(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp)
    }

    /// Creates a location with its source.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, sourceInfo: CLLocationSourceInformation
    ) {
        content = Content(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp, source: sourceInfo.source)
    }

    /// The point.
    open var coordinate: CLLocationCoordinate2D { content.coordinate }
    /// Metres above mean sea level; valid if ``verticalAccuracy`` is positive.
    open var altitude: CLLocationDistance { content.altitude }
    /// Metres above the WGS-84 ellipsoid; valid if ``verticalAccuracy`` is positive.
    open var ellipsoidalAltitude: CLLocationDistance { content.ellipsoidalAltitude }
    /// The radius in metres that contains the true position with a probability of 68 %. Negative:
    /// the coordinate is not valid.
    open var horizontalAccuracy: CLLocationAccuracy { content.horizontalAccuracy }
    /// The uncertainty of the altitude in metres, 68 %. 0 or negative: the altitude is not valid.
    open var verticalAccuracy: CLLocationAccuracy { content.verticalAccuracy }
    /// Degrees clockwise from true north. Negative: unknown, also at rest.
    open var course: CLLocationDirection { content.course }
    /// The uncertainty of the course in degrees, 68 %. Negative: unknown.
    open var courseAccuracy: CLLocationDirectionAccuracy { content.courseAccuracy }
    /// Metres per second. Negative: unknown.
    open var speed: CLLocationSpeed { content.speed }
    /// The uncertainty of the speed in metres per second, 68 %. Negative: unknown.
    open var speedAccuracy: CLLocationSpeedAccuracy { content.speedAccuracy }
    /// The time of the fix by the receiver's clock. At rest it is the time of the last fix.
    open var timestamp: Date { content.timestamp }
    /// Always nil: no receiver knows the floor.
    open var floor: CLFloor? { nil }
    /// Whether the location is simulated or produced by an accessory. Nil if not known.
    open var sourceInformation: CLLocationSourceInformation? { content.source.map(CLLocationSourceInformation.init) }

    /// Returns the length in metres of the geodesic on WGS-84, without the altitudes. The error is
    /// below 1 mm for antipodal points too. NaN if one of the coordinates is not valid.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        guard let here = coordinate.geodesic, let there = location.coordinate.geodesic else { return .nan }
        return here.distance(to: there)
    }

    /// Returns the location itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Coordinate, accuracy, speed, course and time as text.
    open override var description: String {
        "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m (speed \(speed) mps / course "
            + "\(course)) @ \(timestamp)"
    }

    // MARK: Archives

    /// Locations can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the location into an archive with keys.
    open func encode(with coder: NSCoder) {
        for (key, member) in Content.numbers { coder.encode(content[keyPath: member], forKey: key) }
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
        guard let source = content.source else { return }
        coder.encode(source.isSimulatedBySoftware, forKey: "simulated")
        coder.encode(source.isProducedByAccessory, forKey: "accessory")
    }

    /// Reads a location from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "latitude"), coder.containsValue(forKey: "longitude") else { return nil }
        var content = Content(coordinate: CLLocationCoordinate2D())
        for (key, member) in Content.numbers where coder.containsValue(forKey: key) {
            content[keyPath: member] = coder.decodeDouble(forKey: key)
        }
        content.timestamp = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp"))
        if coder.containsValue(forKey: "simulated") {
            content.source = Source(
                isSimulatedBySoftware: coder.decodeBool(forKey: "simulated"),
                isProducedByAccessory: coder.decodeBool(forKey: "accessory"))
        }
        self.content = content
    }
}

extension CLLocation.Content {
    /// The numbers of a location with their keys in an archive.
    fileprivate static var numbers: [(String, WritableKeyPath<Self, Double>)] {
        [
            ("latitude", \.coordinate.latitude), ("longitude", \.coordinate.longitude), ("altitude", \.altitude),
            ("ellipsoidalAltitude", \.ellipsoidalAltitude), ("horizontalAccuracy", \.horizontalAccuracy),
            ("verticalAccuracy", \.verticalAccuracy), ("course", \.course), ("courseAccuracy", \.courseAccuracy),
            ("speed", \.speed), ("speedAccuracy", \.speedAccuracy),
        ]
    }
}

extension CLLocationCoordinate2D {
    /// The coordinate for geodesy; nil if it is not valid.
    var geodesic: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}

/// The floor of a building.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The floor, 0 at ground level.
    public let level: Int

    /// Returns the floor itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Floors can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the floor into an archive with keys.
    open func encode(with coder: NSCoder) {
        coder.encode(level, forKey: "level")
    }

    /// Reads a floor from an archive.
    public required init?(coder: NSCoder) {
        level = coder.decodeInteger(forKey: "level")
    }
}

/// Whether a location is simulated or produced by an accessory.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let source: CLLocation.Source

    init(source: CLLocation.Source) {
        self.source = source
    }

    /// Creates the information.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        source = CLLocation.Source(isSimulatedBySoftware: isSoftware, isProducedByAccessory: isAccessory)
    }

    /// Whether a program simulates the receiver.
    open var isSimulatedBySoftware: Bool { source.isSimulatedBySoftware }
    /// Whether the receiver is an accessory.
    open var isProducedByAccessory: Bool { source.isProducedByAccessory }

    /// Returns the information itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The information can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the information into an archive with keys.
    open func encode(with coder: NSCoder) {
        coder.encode(source.isSimulatedBySoftware, forKey: "simulated")
        coder.encode(source.isProducedByAccessory, forKey: "accessory")
    }

    /// Reads the information from an archive.
    public required init?(coder: NSCoder) {
        source = CLLocation.Source(
            isSimulatedBySoftware: coder.decodeBool(forKey: "simulated"),
            isProducedByAccessory: coder.decodeBool(forKey: "accessory"))
    }
}
