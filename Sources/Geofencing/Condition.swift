import Chronology

/// A condition, as the edge and the core name it to each other: its row in the store, which is never used twice.
public struct ConditionID: Sendable, Hashable, Comparable {
    /// 1 or more.
    public var rawValue: Int64
    /// The condition of that row.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Whether `a` was added before `b`.
    public static func < (a: ConditionID, b: ConditionID) -> Bool { a.rawValue < b.rawValue }
}

/// What somebody wants to be told of. Who that is, its identifier and its metadata are the edge's; they are not kept in memory.
public struct Condition: Sendable, Equatable {
    /// Where it holds.
    public var shape: FenceShape
    /// What is taken to be so until it is known: a first determination that agrees with it is no news. `unknown`: any is news.
    public var assuming: ConditionState
    /// After that long inside without a break there is a ``ConditionEvent/Kind/dwelt`` event; nil: there is none.
    public var dwell: Instant.Span?
    /// From then on it is not watched any more; nil: for good.
    public var expiry: UTCTime?

    /// A wish to be told.
    public init(shape: FenceShape, assuming: ConditionState = .unknown, dwell: Instant.Span? = nil, expiry: UTCTime? = nil) {
        self.shape = shape
        self.assuming = assuming
        self.dwell = dwell
        self.expiry = expiry
    }
}

/// How a condition stands (`CLMonitor.Event.State`, iOS 17.2).
public enum ConditionState: String, Sendable, Codable, CaseIterable {
    /// Not determined yet.
    case unknown
    /// The device is inside.
    case satisfied
    /// The device is outside.
    case unsatisfied
    /// It is not watched: it has expired, or its program may hold no more.
    case unmonitored
}
