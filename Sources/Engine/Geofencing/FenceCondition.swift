import Chronology

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
        subject = .area(shape)
        self.assuming = assuming
        self.dwell = dwell
        self.expiry = expiry
    }

    /// Creates a condition without an assumed state and without a dwell time.
    public init(_ subject: ConditionSubject, expiry: UTCTime? = nil) {
        self.subject = subject
        assuming = .unknown
        self.expiry = expiry
    }

    /// The area in which the condition is satisfied; nil if it concerns no area.
    public var shape: FenceShape? {
        if case .area(let shape) = subject { shape } else { nil }
    }

    /// The area of a condition in ``GeofenceEngine``, which accepts no other conditions.
    var area: FenceShape { shape ?? .corridor(path: [], width: 0) }
}
