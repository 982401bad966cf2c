/// Inputs that have the body of a sentence in each line. This type adds `$` and the checksum.
///
/// A fuzzer that had to guess checksums would not reach the decoders.
enum SentenceBodies {
    /// Passes the lines of an input to a closure, without their ends.
    static func forEach(in input: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < input.count {
            let end = input[start...].firstIndex(of: 0x0A) ?? input.count
            body(UnsafeRawBufferPointer(rebasing: input[start..<end]))
            start = end + 1
        }
    }

    /// Appends a body as a sentence to `stream`.
    static func append(_ body: UnsafeRawBufferPointer, to stream: inout [UInt8]) {
        var sum: UInt8 = 0
        stream.append(0x24)
        stream.append(contentsOf: body)
        for byte in body { sum ^= byte }
        stream.append(0x2A)
        stream.append(digit(sum >> 4))
        stream.append(digit(sum & 15))
        stream.append(0x0D)
        stream.append(0x0A)
    }

    /// Whether a framer accepts these bytes as one body, whatever its address.
    static func isBody(_ line: UnsafeRawBufferPointer) -> Bool {
        !line.contains { $0 < 0x20 || $0 > 0x7E || $0 == 0x24 || $0 == 0x21 || $0 == 0x2A }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x37) }
}
