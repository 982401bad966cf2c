import Foundation
internal import SextantAPI
internal import VarlinkClient

/// The first number of a beacon.
public typealias CLBeaconMajorValue = UInt16
/// The second number of a beacon.
public typealias CLBeaconMinorValue = UInt16

/// The distance of a beacon.
@nonexhaustive(warn)
public enum CLProximity: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Within some centimetres.
    case immediate = 1
    /// Within a few metres.
    case near = 2
    /// Farther.
    case far = 3
}

/// Which beacons are meant: all with a UUID, or those with one or both numbers too.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The UUID and the numbers of beacons.
    struct Identity: Hashable, Sendable {
        var uuid: UUID
        var major: CLBeaconMajorValue?
        var minor: CLBeaconMinorValue?

        init(uuid: UUID, major: CLBeaconMajorValue? = nil, minor: CLBeaconMinorValue? = nil) {
            (self.uuid, self.major) = (uuid, major)
            self.minor = minor
        }

        /// The beacons of a message of the daemon; nil if they are not valid.
        init?(_ message: BeaconMessage) {
            guard let uuid = UUID(uuidString: message.uuid) else { return nil }
            self.init(
                uuid: uuid, major: message.major.flatMap { UInt16(exactly: $0) },
                minor: message.minor.flatMap { UInt16(exactly: $0) })
        }

        /// The beacons as the daemon gets them.
        var message: BeaconMessage {
            BeaconMessage(uuid: uuid.uuidString, major: major.map { Int($0) }, minor: minor.map { Int($0) })
        }

        func encode(with coder: NSCoder) {
            coder.encode(NSString(string: uuid.uuidString), forKey: "uuid")
            if let major { coder.encode(Int(major), forKey: "major") }
            if let minor { coder.encode(Int(minor), forKey: "minor") }
        }

        init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
                let uuid = UUID(uuidString: String(describing: text))
            else { return nil }
            self.init(uuid: uuid, major: Self.number("major", coder), minor: Self.number("minor", coder))
        }

        private static func number(_ key: String, _ coder: NSCoder) -> UInt16? {
            coder.containsValue(forKey: key) ? UInt16(exactly: coder.decodeInteger(forKey: key)) : nil
        }
    }

    let identity: Identity

    init(identity: Identity) {
        self.identity = identity
    }

    /// All beacons with this UUID.
    public convenience init(uuid: UUID) {
        self.init(identity: Identity(uuid: uuid))
    }

    /// The beacons with this UUID and first number.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue) {
        self.init(identity: Identity(uuid: uuid, major: major))
    }

    /// One beacon.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        self.init(identity: Identity(uuid: uuid, major: major, minor: minor))
    }

    /// The UUID.
    open var uuid: UUID { identity.uuid }
    /// The first number; nil if every number is meant.
    open var major: CLBeaconMajorValue? { identity.major }
    /// The second number; nil if every number is meant.
    open var minor: CLBeaconMinorValue? { identity.minor }

    /// Returns whether the other object means the same beacons.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.identity == identity
    }

    /// A hash of UUID and numbers.
    open override var hash: Int { identity.hashValue }

    /// Returns the constraint itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Constraints can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the constraint into an archive with keys.
    open func encode(with coder: NSCoder) {
        identity.encode(with: coder)
    }

    /// Reads a constraint from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        guard let identity = Identity(coder: coder) else { return nil }
        self.identity = identity
    }
}

/// A region around beacons. While nothing receives beacons, such as without a Bluetooth adapter, a
/// delegate that monitors one gets `regionMonitoringFailure`.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    let identity: CLBeaconIdentityConstraint.Identity
    private let display = Locked(false)

    init(identity: CLBeaconIdentityConstraint.Identity, identifier: String) {
        self.identity = identity
        super.init(identifier: identifier)
    }

    /// Creates a region of all beacons with this UUID.
    public convenience init(uuid: UUID, identifier: String) {
        self.init(identity: .init(uuid: uuid), identifier: identifier)
    }

    /// Creates a region of the beacons with this UUID and first number.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(identity: .init(uuid: uuid, major: major), identifier: identifier)
    }

    /// Creates a region of one beacon.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        self.init(identity: .init(uuid: uuid, major: major, minor: minor), identifier: identifier)
    }

    /// Creates a region of the beacons of a constraint.
    public convenience init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        self.init(identity: beaconIdentityConstraint.identity, identifier: identifier)
    }

    /// Creates a region of all beacons with this UUID, as code before iOS 13 does.
    public convenience init(proximityUUID: UUID, identifier: String) {
        self.init(uuid: proximityUUID, identifier: identifier)
    }

    /// Creates a region of the beacons with this UUID and first number, as code before iOS 13 does.
    public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(uuid: proximityUUID, major: major, identifier: identifier)
    }

    /// Creates a region of one beacon, as code before iOS 13 does.
    public convenience init(
        proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
    ) {
        self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
    }

    /// The UUID.
    open var uuid: UUID { identity.uuid }
    /// The same as ``uuid``.
    open var proximityUUID: UUID { uuid }
    /// The first number; nil if every number is meant.
    open var major: NSNumber? { identity.major.map { NSNumber(value: $0) } }
    /// The second number; nil if every number is meant.
    open var minor: NSNumber? { identity.minor.map { NSNumber(value: $0) } }
    /// Which beacons are meant.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(identity: identity) }

    /// Whether the delegate is informed when the display turns on; without effect on Linux.
    open var notifyEntryStateOnDisplay: Bool {
        get { display.withLock { $0 } }
        set { display.withLock { $0 = newValue } }
    }

    /// The data with which a device sends as this beacon. Empty: use `sextant beacons advertise`.
    open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
        NSMutableDictionary()
    }

    /// Returns a region with the same members.
    open override func copy(with zone: NSZone? = nil) -> Any {
        withFlags(of: self, CLBeaconRegion(identity: identity, identifier: identifier))
    }

    /// Writes the region into an archive with keys.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        identity.encode(with: coder)
    }

    /// Reads a region from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        guard let identity = CLBeaconIdentityConstraint.Identity(coder: coder) else { return nil }
        self.identity = identity
        super.init(coder: coder)
    }
}

/// A beacon in range.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What is known of a beacon.
    struct Content: Sendable {
        var identity: CLBeaconIdentityConstraint.Identity
        var proximity: CLProximity
        var accuracy: CLLocationAccuracy
        var rssi: Int
        var timestamp: Date
    }

    let content: Content

    /// Creates a beacon of which nothing is known, for tests that subclass it.
    public override init() {
        let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        content = Content(
            identity: .init(uuid: none), proximity: .unknown, accuracy: -1, rssi: 0, timestamp: Date())
    }

    /// A beacon as the daemon reports it; nil if that is not valid.
    init?(_ reading: BeaconReadingMessage) {
        guard let identity = CLBeaconIdentityConstraint.Identity(reading.beacon) else { return nil }
        let proximity: CLProximity =
            switch reading.zone {
            case .unknown: .unknown
            case .immediate: .immediate
            case .near: .near
            case .far: .far
            }
        content = Content(
            identity: identity, proximity: proximity, accuracy: reading.accuracy ?? -1,
            rssi: reading.rssi.flatMap { Int(exactly: $0.rounded()) } ?? 0, timestamp: Date(reading.timestamp))
    }

    /// The UUID.
    open var uuid: UUID { content.identity.uuid }
    /// The same as ``uuid``.
    open var proximityUUID: UUID { uuid }
    /// The first number.
    open var major: NSNumber { NSNumber(value: content.identity.major ?? 0) }
    /// The second number.
    open var minor: NSNumber { NSNumber(value: content.identity.minor ?? 0) }
    /// The distance as a class.
    open var proximity: CLProximity { content.proximity }
    /// The distance in metres within which the beacon is with a probability of 68 %. Negative:
    /// unknown.
    open var accuracy: CLLocationAccuracy { content.accuracy }
    /// The signal strength in decibels.
    open var rssi: Int { content.rssi }
    /// The time of reception.
    open var timestamp: Date { content.timestamp }

    /// Returns the beacon itself, which does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Beacons can be decoded securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the beacon into an archive with keys.
    open func encode(with coder: NSCoder) {
        content.identity.encode(with: coder)
        coder.encode(content.proximity.rawValue, forKey: "proximity")
        coder.encode(content.accuracy, forKey: "accuracy")
        coder.encode(content.rssi, forKey: "rssi")
        coder.encode(content.timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
    }

    /// Reads a beacon from an archive; nil if it contains none.
    public required init?(coder: NSCoder) {
        guard let identity = CLBeaconIdentityConstraint.Identity(coder: coder) else { return nil }
        content = Content(
            identity: identity, proximity: CLProximity(rawValue: coder.decodeInteger(forKey: "proximity")) ?? .unknown,
            accuracy: coder.decodeDouble(forKey: "accuracy"), rssi: coder.decodeInteger(forKey: "rssi"),
            timestamp: Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp")))
    }
}
