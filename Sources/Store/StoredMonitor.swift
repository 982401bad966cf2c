/// A monitor's row in the store, which is never used twice.
public struct MonitorID: Sendable, Hashable, Comparable {
    /// 1 or more.
    public var rawValue: Int64
    /// The monitor of that row.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Whether `a` was made before `b`.
    public static func < (a: MonitorID, b: MonitorID) -> Bool { a.rawValue < b.rawValue }
}

/// A named set of conditions of one program.
public struct StoredMonitor: Sendable, Equatable {
    /// Its row.
    public var id: MonitorID
    /// Whose it is, in the edge's words.
    public var program: String
    /// The program's name for it.
    public var name: String
    /// Conditions in it.
    public var conditions: Int
    /// Events that have not been acknowledged.
    public var waiting: Int
}
