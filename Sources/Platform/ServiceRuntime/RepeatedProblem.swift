/// A problem that occurs again and again, and is logged once.
package struct RepeatedProblem {
    private var last: String?

    /// Creates a value without a problem.
    package init() {}

    /// Records a problem. Returns whether to log it: it is another one than the last.
    package mutating func shouldLog(_ problem: String) -> Bool {
        defer { last = problem }
        return problem != last
    }

    /// Records that the problem is over: it is logged when it occurs again.
    package mutating func reset() { last = nil }
}
