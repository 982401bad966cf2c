/// Limits of `io.sextant.Index` that its service and its clients keep.
package enum IndexLimits {
    /// The number of items, of identifiers and of domains of a call, at most.
    package static let inCall = 500
    /// The number of items of a program, at most.
    package static let items = 20_000
    /// The length of a state in bytes, at most.
    package static let state = 250
}
