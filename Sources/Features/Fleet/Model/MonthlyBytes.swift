/// The bytes of a month.
package struct MonthlyBytes: Sendable, Equatable {
    /// The number of bytes in the last counted month.
    package private(set) var count = 0
    /// That month, such as 202611; 0: none.
    package private(set) var month: Int64

    /// Creates a counter with the bytes of a month so far.
    package init(_ count: Int = 0, month: Int64 = 0) { (self.count, self.month) = (count, month) }

    /// Counts bytes for a month, such as 202611. A new month begins at 0.
    package mutating func add(_ bytes: Int, month: Int64) {
        if month != self.month { count = 0 }
        self.month = month
        count += bytes
    }
}
