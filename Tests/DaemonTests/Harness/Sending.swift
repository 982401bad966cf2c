import Testing

/// Bytes that a client may send, with a printable name.
struct Sending: CustomTestStringConvertible {
    let text: String
    var testDescription: String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(80).map { $0.value < 0x20 ? "·" : $0 }))
    }

    init(_ text: String) { self.text = text }
}
