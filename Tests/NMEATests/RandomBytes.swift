import TestSupport

extension SeededGenerator {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

/// Splits a stream into chunks of random lengths, each at most `longest`.
func chunks(_ bytes: [UInt8], longest: Int, seed: UInt64) -> [[UInt8]] {
    var generator = SeededGenerator(seed: seed)
    var chunks: [[UInt8]] = []
    var index = 0
    while index < bytes.count {
        let end = min(bytes.count, index + Int.random(in: 1...longest, using: &generator))
        chunks.append(Array(bytes[index..<end]))
        index = end
    }
    return chunks
}
