/// A number that a sentence may leave empty, in no more room than the number takes: half as much as a `Double?`, and a sentence is copied
/// more than once on its way. Empty is held as NaN, which no sentence can state.
@propertyWrapper
public struct Stated: Sendable {
    private var number = Double.nan

    /// The number; nil where the field is empty.
    public var wrappedValue: Double? {
        @inline(__always) get { number.isNaN ? nil : number }
        @inline(__always) set { number = newValue ?? .nan }
    }

    /// A number that has not been stated.
    @inline(__always)
    public init() {}
}
