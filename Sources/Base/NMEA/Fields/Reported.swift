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

/// A text of up to 80 bytes in inline storage. A TXT sentence needs no allocation until a caller
/// reads ``string``.
public struct ShortText: Sendable {
    private var bytes = InlineArray<80, UInt8>(repeating: 0)
    private var count: UInt8 = 0

    init(_ body: RawSpan, in range: Range<Int>) {
        for index in range.prefix(80) {
            bytes[Int(count)] = body.byte(at: index)
            count += 1
        }
    }

    /// The text, decoded as ISO 8859-1.
    public var string: String {
        var text = ""
        for index in 0..<Int(count) { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
        return text
    }

    /// Returns whether the text contains `text`; the comparison is case-sensitive.
    public func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard text.hasPointerRepresentation, length <= Int(count) else { return false }
        let pattern = UnsafeBufferPointer(start: text.utf8Start, count: length)
        return (0...(Int(count) - length)).contains { index in
            (0..<length).allSatisfy { bytes[index + $0] == pattern[$0] }
        }
    }
}
