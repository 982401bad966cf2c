import Bridges
import Chronology

/// Sentences from a network: any bytes of two senders.
enum InletTarget {
    /// Checks that the sentences of a stream do not depend on the sizes of the reads, and that each
    /// is a whole line of limited length.
    static func run(_ data: UnsafeRawBufferPointer) {
        let bytes = Array(data)
        let whole = sentences(bytes, size: max(1, bytes.count), isPacket: false)
        let size = Int(bytes.first ?? 0) % 16 + 1
        Invariant.check(
            sentences(bytes, size: size, isPacket: false) == whole, "reads of \(size) bytes change the sentences")
        check(whole)
        check(sentences(bytes, size: Int(bytes.last ?? 0) % 50 + 1, isPacket: true))
        var sources = SentenceSources<Int>(acceptsAll: false)
        for start in stride(from: 0, to: bytes.count, by: 16) {
            check(
                sources.receive(
                    bytes[start..<min(start + 16, bytes.count)], from: start / 16 % 20,
                    isPacket: bytes[start] & 1 == 0, at: .zero + .seconds(Double(start))))
        }
    }

    private static func sentences(_ bytes: [UInt8], size: Int, isPacket: Bool) -> [UInt8] {
        var sources = SentenceSources<Int>(acceptsAll: false)
        return stride(from: 0, to: bytes.count, by: size).flatMap { start in
            sources.receive(
                bytes[start..<min(start + size, bytes.count)], from: 0, isPacket: isPacket, at: .zero)
        }
    }

    private static func check(_ sentences: [UInt8]) {
        guard !sentences.isEmpty else { return }
        Invariant.check(sentences.suffix(2) == [13, 10], "the last sentence has no end")
        for line in sentences.split(separator: 10) {
            Invariant.check(line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!"), "a line is no sentence")
            Invariant.check(line.count <= 1025 && line.last == 13, "a line of \(line.count) bytes")
        }
    }
}
