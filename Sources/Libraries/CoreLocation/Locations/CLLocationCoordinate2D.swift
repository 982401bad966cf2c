@_exported import Foundation

/// An angle in degrees: latitude north, longitude east.
public typealias CLLocationDegrees = Double
/// A length in metres.
public typealias CLLocationDistance = Double
/// The radius of uncertainty of a position or an altitude in metres, or a required accuracy.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second.
public typealias CLLocationSpeed = Double
/// The uncertainty of a speed in metres per second.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from true north.
public typealias CLLocationDirection = Double
/// The uncertainty of a direction in degrees.
public typealias CLLocationDirectionAccuracy = Double

/// The largest distance: no limit.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The longest time: no limit.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude
/// No minimum movement between two updates.
public let kCLDistanceFilterNone: CLLocationDistance = -1

/// The best accuracy, with every epoch of the receiver.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// 10 m.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// 100 m.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// 1 km.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// 3 km.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// The accuracy of a program with reduced accuracy. Apple does not document the number: it is only
/// greater than all others here.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 5000

/// A coordinate that is not valid.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// A point on the Earth, WGS-84.
///
/// As with Apple it is neither `Equatable` nor `Codable`: programs add these themselves.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north, -90 to 90.
    public var latitude: CLLocationDegrees
    /// Degrees east, -180 to 180.
    public var longitude: CLLocationDegrees

    /// Creates the point 0, 0.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// Creates a point. The values are not checked, see ``CLLocationCoordinate2DIsValid(_:)``.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Returns whether the latitude is within -90 to 90 and the longitude within -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    abs(coord.latitude) <= 90 && abs(coord.longitude) <= 180
}

/// Creates a point.
public func CLLocationCoordinate2DMake(_ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees)
    -> CLLocationCoordinate2D
{
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
