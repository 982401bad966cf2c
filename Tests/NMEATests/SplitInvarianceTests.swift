import TestSupport
import Testing

/// The same bytes give the same sentences and counts for any split into chunks.
@Suite struct SplitInvarianceTests {
    private func expectInvariance(_ bytes: [UInt8], seed: UInt64, comment: Comment) {
        let whole = frame([bytes])
        let splits = [2, 7, 40, 100, 1000, 5000].map { chunks(bytes, longest: $0, seed: seed) } + [bytes.map { [$0] }]
        for split in splits {
            let framed = frame(split)
            // Does not print every sentence of a capture on failure.
            #expect(framed.counts == whole.counts, comment)
            let isSame = framed.bodies == whole.bodies
            #expect(isSame, comment)
        }
    }

    @Test(arguments: OwnCaptures.names)
    func `captures frame the same for any chunk sizes`(name: String) throws {
        let bytes = try OwnCaptures.read(name)
        #expect(!frame([bytes]).bodies.isEmpty)
        expectInvariance(bytes, seed: 1, comment: "\(name)")
    }

    /// Sentences, partial sentences, flipped bits, noise, floods and endless lines, in random
    /// order.
    @Test(arguments: 0..<200)
    func `damaged streams frame the same for any chunk sizes`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes: [UInt8] = []
        for _ in 0..<20 { bytes += NastyStream.piece(&generator) }
        expectInvariance(bytes, seed: UInt64(seed), comment: "seed \(seed)")
    }
}

/// Fragments of damaged streams that some receivers send.
enum NastyStream {
    private static let bodies = [
        "GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,", "GPGSV,1,1,00",
        "GNTXT,01,01,02,ANTSTATUS=OK",
        "PMTK010,001",
    ]

    static func piece(_ generator: inout SeededGenerator) -> [UInt8] {
        let body = bodies.randomElement(using: &generator) ?? ""
        let whole = Array(line(body).utf8)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator)))
        case 1: return Array(whole.suffix(Int.random(in: 0...whole.count, using: &generator)))
        case 2: return flipped(whole, using: &generator)
        case 3: return generator.bytes(Int.random(in: 1...60, using: &generator))
        case 4:
            return Array(
                repeating: [0x24, 0x21, 0x2A, 0, 10, 13, 0xFF].randomElement(using: &generator) ?? 0, count: 5)
        case 5: return Array(("$" + String(repeating: "x", count: Int.random(in: 1000...1100, using: &generator))).utf8)
        case 6: return Array("$\(body)\r\n".utf8)
        case 7: return Array("$\(body)*".utf8)
        default: return whole
        }
    }

    private static func flipped(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        return bytes
    }
}
