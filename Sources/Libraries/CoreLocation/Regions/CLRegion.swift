import Foundation
internal import Geodesy
internal import VarlinkClient

/// Where the device is in relation to a region.
@nonexhaustive(warn)
public enum CLRegionState: Int, Sendable {
    /// Not determined yet.
    case unknown = 0
    /// Inside the region.
    case inside = 1
    /// Outside the region.
    case outside = 2
}

/// A region that can be monitored; see ``CLCircularRegion``.
///
/// Two regions are equal if they have the same identifier.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let key: String
    private let flags = Locked(Flags())

    private struct Flags {
        var notifyOnEntry = true
        var notifyOnExit = true
    }

    init(identifier: String) {
        key = identifier
    }

    /// The name of the region, which its program has chosen.
    open var identifier: String { key }

    /// Whether the delegate is informed of entries.
    open var notifyOnEntry: Bool {
        get { flags.withLock { $0.notifyOnEntry } }
        set { flags.withLock { $0.notifyOnEntry = newValue } }
    }

    /// Whether the delegate is informed of exits.
    open var notifyOnExit: Bool {
        get { flags.withLock { $0.notifyOnExit } }
        set { flags.withLock { $0.notifyOnExit = newValue } }
    }

    /// Returns whether the other object is a region with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLRegion)?.identifier == identifier
    }

    /// A hash of the identifier.
    open override var hash: Int { identifier.hashValue }

    /// The type and the identifier as text.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)')" }

    /// Returns a region with the same members.
    open func copy(with zone: NSZone? = nil) -> Any {
        withFlags(of: self, CLRegion(identifier: identifier))
    }

    /// Copies the two flags into a new region and returns it.
    func withFlags<Region: CLRegion>(of region: CLRegion, _ new: Region) -> Region {
        new.notifyOnEntry = region.notifyOnEntry
        new.notifyOnExit = region.notifyOnExit
        return new
    }

    /// Regions can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the region into an archive with keys.
    open func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
        coder.encode(notifyOnExit, forKey: "notifyOnExit")
    }

    /// Reads a region from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier") else { return nil }
        key = String(describing: identifier)
        super.init()
        notifyOnEntry = coder.decodeBool(forKey: "notifyOnEntry")
        notifyOnExit = coder.decodeBool(forKey: "notifyOnExit")
    }
}

/// The area within a distance of a point.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    private let centre: CLLocationCoordinate2D
    private let extent: CLLocationDistance

    /// Creates a region. The radius is used as it is, however small.
    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        (centre, extent) = (center, radius)
        super.init(identifier: identifier)
    }

    /// The centre.
    open var center: CLLocationCoordinate2D { centre }
    /// The radius in metres.
    open var radius: CLLocationDistance { extent }

    /// Returns whether the distance of a point from the centre is at most the radius.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        guard let centre = center.geodesic, let point = coordinate.geodesic else { return false }
        return centre.distance(to: point) <= radius
    }

    /// The identifier, centre and radius as text.
    open override var description: String {
        "CLCircularRegion (identifier:'\(identifier)', center:<\(center.latitude),\(center.longitude)>, "
            + "radius:\(radius)m)"
    }

    /// Returns a region with the same members.
    open override func copy(with zone: NSZone? = nil) -> Any {
        withFlags(of: self, CLCircularRegion(center: center, radius: radius, identifier: identifier))
    }

    /// Writes the region into an archive with keys.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(center.latitude, forKey: "latitude")
        coder.encode(center.longitude, forKey: "longitude")
        coder.encode(radius, forKey: "radius")
    }

    /// Reads a region from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        centre = CLLocationCoordinate2D(
            latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
        extent = coder.decodeDouble(forKey: "radius")
        super.init(coder: coder)
    }
}
