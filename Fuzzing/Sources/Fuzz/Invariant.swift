/// The invariants that fuzzing searches to violate.
enum Invariant {
    /// Ends the process unless `holds`; libFuzzer reports this as a finding.
    ///
    /// - Parameter description: The invariant as a sentence, with the values that violate it.
    @inline(__always)
    static func check(_ holds: Bool, _ description: @autoclosure () -> String) {
        if !holds { violated(description()) }
    }

    /// Ends the process because the described invariant is violated.
    @inline(never)
    static func violated(_ description: String) -> Never {
        fatalError("VIOLATED INVARIANT: \(description)")
    }
}
