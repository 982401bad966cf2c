import Bridges
import Chronology

/// Sentences from a network: any bytes of several senders.
enum InletTarget {
    /// The maximum number of reads of an input, so that a long one is not read byte by byte.
    private static let maxReads = 40
    /// A line a few bytes short of the maximum length, which the search need not find.
    private static let longLine = [UInt8](repeating: UInt8(ascii: "$"), count: 1015)

    /// Checks that the sentences of a stream do not depend on the sizes of the reads, and that each
    /// is a whole line of limited length.
    static func run(_ data: UnsafeRawBufferPointer) {
        guard let first = data.first, let last = data.last else { return }
        let bytes = (first & 7 == 7 ? longLine : []) + data
        let size = max(Int(first) % 16 + 1, bytes.count / maxReads)
        let whole = sentences(bytes, size: bytes.count, isPacket: false)
        Invariant.check(
            sentences(bytes, size: size, isPacket: false) == whole, "reads of \(size) bytes change the sentences")
        check(whole)
        check(sentences(bytes, size: max(Int(last) % 50 + 1, size), isPacket: true))
        var sources = SentenceSources<Int>(acceptsAll: last & 1 == 0)
        for start in stride(from: 0, to: bytes.count, by: max(16, size)) {
            check(
                sources.receive(
                    bytes[start..<min(start + max(16, size), bytes.count)], from: start / 16 % 20,
                    isPacket: bytes[start] & 1 == 0, at: .zero + .seconds(Double(start))))
        }
    }

    private static func sentences(_ bytes: [UInt8], size: Int, isPacket: Bool) -> [UInt8] {
        var sources = SentenceSources<Int>(acceptsAll: false)
        var sentences: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            sentences += sources.receive(
                bytes[start..<min(start + size, bytes.count)], from: 0, isPacket: isPacket, at: .zero)
        }
        return sentences
    }

    private static func check(_ sentences: [UInt8]) {
        guard !sentences.isEmpty else { return }
        Invariant.check(sentences.suffix(2) == [13, 10], "the last sentence has no end")
        var length = 0
        for (index, byte) in sentences.enumerated() {
            if length == 0 {
                Invariant.check(byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!"), "a line is no sentence")
            }
            length += 1
            guard byte == 10 else { continue }
            Invariant.check(length <= 1026 && sentences[index - 1] == 13, "a line of \(length) bytes")
            length = 0
        }
    }
}
