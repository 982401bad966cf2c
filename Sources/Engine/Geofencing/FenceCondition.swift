import Chronology
import Geodesy
import SextantAPI

@_exported import enum SextantAPI.ConditionState

/// The identifier of a condition in the daemon and in the core: its row in the store, which is
/// never reused.
public struct ConditionID: Sendable, Hashable, Comparable {
    /// The row number, 1 or more.
    public var rawValue: Int64
    /// Creates the identifier of this row.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether `a` was added before `b`.
    public static func < (a: ConditionID, b: ConditionID) -> Bool { a.rawValue < b.rawValue }
}

/// A condition of a monitor. The daemon keeps its owner, identifier and metadata on disk, not in
/// memory.
public struct FenceCondition: Sendable, Equatable {
    /// What the condition concerns.
    public var subject: ConditionSubject
    /// The assumed initial state. A first determination that matches it produces no event. With
    /// `unknown`, every first determination produces one.
    public var assuming: ConditionState
    /// The uninterrupted time inside after which a ``ConditionEvent/Kind/dwelt`` event follows; nil
    /// for no such event.
    public var dwell: Instant.Span?
    /// The time after which the condition is no longer monitored; nil for no expiry.
    public var expiry: UTCTime?

    /// Creates a condition on an area.
    public init(
        shape: FenceShape, assuming: ConditionState = .unknown, dwell: Instant.Span? = nil, expiry: UTCTime? = nil
    ) {
        self.init(.area(shape), assuming: assuming, dwell: dwell, expiry: expiry)
    }

    /// Creates a condition. Those on visits and movements have no assumed state and no dwell time.
    public init(
        _ subject: ConditionSubject, assuming: ConditionState = .unknown, dwell: Instant.Span? = nil,
        expiry: UTCTime? = nil
    ) {
        self.subject = subject
        self.assuming = assuming
        self.dwell = dwell
        self.expiry = expiry
    }

    /// The area in which the condition is satisfied; nil if it concerns no area.
    public var shape: FenceShape? {
        if case .area(let shape) = subject { shape } else { nil }
    }

    /// The area of a condition in ``GeofenceEngine``, which accepts no other conditions.
    var area: FenceShape { shape ?? .corridor(path: [], width: 0) }
}

/// The limits of one condition, on the socket and in files. A condition of this size fits into one
/// call.
package enum ConditionLimit {
    /// The length of an identifier, in bytes.
    package static let identifierLength = 1...255
    /// The number of points of a shape, including all rings.
    package static let points = 1000
    /// The largest radius of a circle and width of a corridor, in metres. Larger areas are not
    /// meaningful as fences.
    package static let extent = 1_000_000.0
    /// The longest dwell time, in seconds: one year.
    package static let dwell = 31_536_000.0
    /// The size of the metadata as compact JSON, in bytes.
    package static let metadata = 4096
}

/// What a condition concerns.
public enum ConditionSubject: Sendable, Equatable {
    /// Whether the device is in an area.
    case area(FenceShape)
    /// Whether the device visits a place, any place.
    case visits
    /// Movements of the device.
    case significantChange(SignificantChange)
    /// Whether one of these beacons is in range.
    case beacon(BeaconIdentity)
}

/// The movements that cause an event of a condition (`startMonitoringSignificantLocationChanges` of
/// Core Location).
public struct SignificantChange: Sendable, Equatable {
    /// The valid distances in metres. A fence of a smaller radius is often undecidable.
    public static let distances = 100.0...1_000_000
    /// The valid intervals in seconds: at most one day.
    public static let intervals = 0.0...86_400
    /// The valid distances and intervals as text, for messages.
    package static let distanceText =
        "at least \(Int(distances.lowerBound)) and at most \(Int(distances.upperBound)) metres"
    package static let intervalText =
        "at least \(Int(intervals.lowerBound)) and at most \(Int(intervals.upperBound)) seconds"
    /// The default distance in metres, that of Core Location.
    public static let defaultDistance = ConditionSignificantChange.defaultDistance
    /// The default interval in seconds, that of Core Location.
    public static let defaultInterval = ConditionSignificantChange.defaultInterval

    /// The minimum distance in metres from the place of the last event.
    public var distance: Double
    /// The minimum time between two events.
    public var interval: Instant.Span

    /// Creates a value.
    public init(distance: Double = defaultDistance, interval: Instant.Span = .seconds(defaultInterval)) {
        (self.distance, self.interval) = (distance, interval)
    }
}

/// The position of the last event of a condition.
public struct ConditionPlace: Sendable, Equatable {
    /// The position.
    public var coordinate: Coordinate
    /// The horizontal accuracy (R68) of ``coordinate``, in metres.
    public var radius: Double
    /// The date of the event, in the receiver's time; nil if it was unknown.
    public var date: UTCTime?

    /// Creates a place.
    public init(coordinate: Coordinate, radius: Double, date: UTCTime? = nil) {
        self.coordinate = coordinate
        self.radius = radius
        self.date = date
    }
}

/// A condition with its state, as ``GeofenceEngine`` stores it. A circle needs no further
/// allocation.
struct MonitoredCondition: Sendable {
    var id: ConditionID
    var condition: FenceCondition
    var tracker: ConditionTracker

    /// When the dwell timer is due; excludes expiry.
    var dwellDeadline: Instant? { tracker.deadline(of: condition, last: nil) }

    func expires(at time: UTCTime) -> Bool { condition.expiry == time && tracker.state != .unmonitored }

    /// Returns whether the condition needs the next evidence at any position, after evidence at
    /// this distance from its boundary.
    func needsEvidence(at now: Instant, distance: Double) -> Bool {
        switch tracker.state {
        case .unmonitored: false
        case .unknown: true
        case .satisfied: distance < 0 || tracker.isPending(condition, at: now)
        case .unsatisfied: distance >= 0 || tracker.isPending(condition, at: now)
        }
    }
}
