/// A number that a sentence may leave empty, stored in half the size of a `Double?`.
///
/// The size matters because each sentence is copied several times. NaN represents an empty field;
/// no sentence can contain NaN.
@propertyWrapper
public struct Reported: Sendable {
    private var number = Double.nan

    /// The number; nil if the field is empty.
    public var wrappedValue: Double? {
        @inline(__always) get { number.isNaN ? nil : number }
        @inline(__always) set { number = newValue ?? .nan }
    }

    /// Creates the value of an empty field.
    @inline(__always)
    public init() {}
}
