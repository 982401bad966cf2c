/// The identifier of a monitor: its row in the store, which is never reused.
package struct MonitorID: Sendable, Hashable, Comparable {
    /// The row number, 1 or more.
    package var rawValue: Int64
    /// Creates the identifier of this row.
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    /// Returns whether `a` was created before `b`.
    package static func < (a: MonitorID, b: MonitorID) -> Bool { a.rawValue < b.rawValue }
}

/// A named set of conditions of one program.
package struct StoredMonitor: Sendable, Equatable {
    /// The row of the monitor.
    package var id: MonitorID
    /// The program that owns the monitor, as the daemon identifies it.
    package var program: String
    /// The program's name for the monitor.
    package var name: String
    /// The number of conditions.
    package var conditions: Int
    /// The number of unacknowledged events.
    package var pending: Int
}
