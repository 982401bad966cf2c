/// Cuts the bytes of one source into sentences. A sentence may arrive in parts.
struct SentenceLine: Sendable {
    /// The maximum length of a line in bytes, that of the daemon.
    private static let maxLength = 1024

    private var bytes: [UInt8] = []
    /// Whether the rest up to the next line end is ignored.
    private var isOverlong = false

    /// Processes bytes of the source.
    ///
    /// - Parameters:
    ///   - isPacket: Whether the bytes are a datagram. It may end with a sentence that has no line
    ///     end, or with a part of one.
    ///   - onSentence: Receives each sentence that is complete now, without its line end.
    mutating func receive(_ input: ArraySlice<UInt8>, isPacket: Bool, onSentence: (ArraySlice<UInt8>) -> Void) {
        for byte in input {
            if byte == 10 || byte == 13 {
                finish(onSentence)
            } else if byte == UInt8(ascii: "$"), isComplete {
                finish(onSentence)
                bytes.append(byte)
            } else if bytes.count >= SentenceLine.maxLength {
                bytes.removeAll(keepingCapacity: true)
                isOverlong = true
            } else if !isOverlong {
                bytes.append(byte)
            }
        }
        if isPacket, isComplete { finish(onSentence) }
    }

    private mutating func finish(_ onSentence: (ArraySlice<UInt8>) -> Void) {
        // A tag block, or noise, may precede the sentence. Other lines, such as JSON, are ignored.
        if !isOverlong, let start = bytes.firstIndex(where: { $0 == 36 || $0 == 33 }),
            start == 0 || bytes[0] != UInt8(ascii: "{")
        {
            onSentence(bytes[start...])
        }
        bytes.removeAll(keepingCapacity: true)
        isOverlong = false
    }

    /// Whether the line ends with a checksum, as a whole sentence does.
    private var isComplete: Bool {
        let count = bytes.count
        return count >= 4 && bytes[count - 3] == UInt8(ascii: "*") && SentenceLine.isHexadecimal(bytes[count - 2])
            && SentenceLine.isHexadecimal(bytes[count - 1])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}
