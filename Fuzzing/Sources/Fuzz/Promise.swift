/// Ends the process unless `holds`; libFuzzer reports this as a finding.
///
/// `promise` describes the violated condition.
@inline(__always)
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { broken(promise()) }
}

/// Ends the process because `promise` is violated.
@inline(never)
func broken(_ promise: String) -> Never {
    fatalError("BROKEN PROMISE: \(promise)")
}
