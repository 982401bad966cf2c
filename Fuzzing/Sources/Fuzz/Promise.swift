/// Ends the process, which libFuzzer takes for a finding, unless `holds`. `promise` is what should have held.
@inline(__always)
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { broken(promise()) }
}

/// A promise was not kept.
@inline(never)
func broken(_ promise: String) -> Never {
    fatalError("BROKEN PROMISE: \(promise)")
}
