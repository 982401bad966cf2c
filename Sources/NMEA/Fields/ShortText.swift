/// Up to 80 bytes of text held in place, so that a TXT sentence costs no allocation until somebody reads it.
public struct ShortText: Sendable {
    private var bytes = InlineArray<80, UInt8>(repeating: 0)
    private var count: UInt8 = 0

    init(_ body: RawSpan, _ range: Range<Int>) {
        for at in range.prefix(80) {
            bytes[Int(count)] = body.byte(at: at)
            count += 1
        }
    }

    /// The text, as ISO 8859-1.
    public var string: String {
        var text = ""
        for at in 0..<Int(count) { text.unicodeScalars.append(Unicode.Scalar(bytes[at])) }
        return text
    }

    /// Whether the text holds `words`, letter for letter.
    public func contains(_ words: StaticString) -> Bool {
        let length = words.utf8CodeUnitCount
        guard words.hasPointerRepresentation, length <= Int(count) else { return false }
        let wanted = UnsafeBufferPointer(start: words.utf8Start, count: length)
        return (0...(Int(count) - length)).contains { at in (0..<length).allSatisfy { bytes[at + $0] == wanted[$0] } }
    }
}
