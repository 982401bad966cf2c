import Foundation
internal import SextantAPI

/// A condition that a ``CLMonitor`` monitors.
public protocol CLCondition: Decodable, Encodable, Sendable {}

extension CLMonitor {
    /// Whether the device is within a distance of a point.
    public struct CircularGeographicCondition: CLCondition {
        /// The centre.
        public let center: CLLocationCoordinate2D
        /// The radius in metres, as given: there is no minimum. A circle that is too small for the
        /// accuracy of the receiver may never be satisfied.
        public let radius: CLLocationDistance

        /// Creates a condition.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }

        private enum CodingKeys: String, CodingKey {
            case latitude
            case longitude
            case radius
        }

        /// Reads a condition.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            center = CLLocationCoordinate2D(
                latitude: try container.decode(Double.self, forKey: .latitude),
                longitude: try container.decode(Double.self, forKey: .longitude))
            radius = try container.decode(Double.self, forKey: .radius)
        }

        /// Writes the condition.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(center.latitude, forKey: .latitude)
            try container.encode(center.longitude, forKey: .longitude)
            try container.encode(radius, forKey: .radius)
        }
    }

    /// Whether a beacon is in range. While nothing receives beacons, such as without a Bluetooth
    /// adapter, events and records of such a condition are flagged with `conditionUnsupported`.
    public struct BeaconIdentityCondition: CLCondition {
        /// The UUID.
        public let uuid: UUID
        /// The first number; nil if every number is meant.
        public let major: UInt16?
        /// The second number; nil if every number is meant.
        public let minor: UInt16?

        /// All beacons with this UUID.
        public init(uuid: UUID) {
            self.uuid = uuid
            major = nil
            minor = nil
        }

        /// The beacons with this UUID and first number.
        public init(uuid: UUID, major: UInt16) {
            self.uuid = uuid
            self.major = major
            minor = nil
        }

        /// One beacon.
        public init(uuid: UUID, major: UInt16, minor: UInt16) {
            self.uuid = uuid
            self.major = major
            self.minor = minor
        }
    }
}

/// A condition that the daemon knows.
protocol DaemonCondition: CLCondition {
    /// The condition as the daemon gets it.
    func message(identifier: String) -> Condition
}

/// A condition of another shape, which a program has added to the monitor without this module.
struct OtherShapeCondition: CLCondition {}
