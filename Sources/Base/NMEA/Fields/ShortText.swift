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

extension StringProtocol {
    /// Returns whether the text contains `part`; the comparison is case-sensitive.
    ///
    /// The search of the standard library is part of its regular expressions, which would add
    /// 1.8 MB to each program: `make build` compiles without them.
    package func contains(part: some StringProtocol) -> Bool {
        part.isEmpty || indices.contains { self[$0...].hasPrefix(part) }
    }
}
