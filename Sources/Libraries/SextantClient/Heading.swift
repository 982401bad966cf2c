import Varlink
import VarlinkClient

/// The direction in which the device points. At least one of the two directions is known.
public struct Heading: Codable, Hashable, Sendable {
    /// UTC of the heading. Nil until the receiver reports a position with a date.
    public var timestamp: UTCTime?
    /// Degrees clockwise from true north, 0 to 360.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0 to 360.
    public var magneticHeading: Double?
    /// Accuracy of the reported direction in degrees, 68 %. Nil if the source reports none.
    public var headingAccuracy: Double?
    /// The source of the heading.
    public var source: Source
    /// Degrees from true north to magnetic north, east positive.
    public var variation: Double?
    /// The source of the variation.
    public var variationSource: VariationSource?
    /// True if the receiver is simulated, otherwise nil.
    public var simulated: Bool?
    /// Name of the receiver.
    public var receiver: String

    /// The source of a heading, best first.
    public struct Source: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An inertial system.
        public static let inertial = Self(rawValue: "inertial")
        /// Two antennas.
        public static let dualAntenna = Self(rawValue: "dualAntenna")
        /// A gyrocompass or satellite compass, in THS.
        public static let ths = Self(rawValue: "ths")
        /// A gyrocompass or satellite compass, in HDT.
        public static let hdt = Self(rawValue: "hdt")
        /// A magnetic compass, in HDG.
        public static let hdg = Self(rawValue: "hdg")
        /// A magnetic compass, in HDM.
        public static let hdm = Self(rawValue: "hdm")
        /// A compass, in VHW.
        public static let vhw = Self(rawValue: "vhw")
        /// The course over ground. The device may point elsewhere.
        public static let course = Self(rawValue: "course")
        /// The values that this library knows.
        public static let allCases: [Self] = [inertial, dualAntenna, ths, hdt, hdg, hdm, vhw, course]
    }

    /// The source of a magnetic variation, in order of precedence.
    public struct VariationSource: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The compass.
        public static let hdg = Self(rawValue: "hdg")
        /// The receiver.
        public static let rmc = Self(rawValue: "rmc")
        /// The World Magnetic Model at the last position.
        public static let model = Self(rawValue: "model")
        /// The values that this library knows.
        public static let allCases: [Self] = [hdg, rmc, model]
    }
}

/// An element of ``Client/headings(filter:passive:)``.
public struct HeadingUpdate: Hashable, Sendable {
    /// The heading; nil if there is none.
    public var heading: Heading?
    /// The cause of a missing position, if that is why there is no heading.
    public var cause: LocationUpdate.Cause?
    /// Why there is no heading.
    public var detail: String?
    /// Why the program may not know the heading.
    public var permission: PermissionFlags
}

extension HeadingUpdate: Decodable {
    private enum CodingKeys: String, CodingKey {
        case heading, cause, detail
    }

    /// Decodes a reply of `io.sextant.Location.WatchHeading`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        heading = try members.decodeIfPresent(Heading.self, forKey: .heading)
        cause = try members.decodeIfPresent(LocationUpdate.Cause.self, forKey: .cause)
        detail = try members.decodeIfPresent(String.self, forKey: .detail)
        permission = try PermissionFlags(from: decoder)
    }
}

/// The parameters of `io.sextant.Location.WatchHeading`.
struct HeadingParameters: Encodable {
    var headingFilter: Double?
    var passive: Bool?
}

extension Client {
    /// Returns the heading now and after every change, at most 10 times per second. The newest
    /// replaces those that the program has not taken.
    ///
    /// - Parameters:
    ///   - filter: The minimum change in degrees, at most 180; nil: every heading.
    ///   - passive: Whether to get headings without any demand on receivers.
    public func headings(filter: Double? = nil, passive: Bool = false) -> Updates<HeadingUpdate> {
        let method = "io.sextant.Location.WatchHeading"
        let parameters = HeadingParameters(headingFilter: filter, passive: passive)
        return Updates({ [transport] () throws(TransportError) in
            transport.stream(method, try Transport.encode(parameters, of: method), delivery: .latest)
        }) {
            { arrival throws(TransportError) in try arrival.decode(HeadingUpdate.self, of: method) }
        }
    }
}
