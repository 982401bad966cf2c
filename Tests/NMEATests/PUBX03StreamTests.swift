import NMEA
import Testing

@Suite struct PUBX03StreamTests {
    /// Found by fuzzing: thirteen satellites are one sentence in two parts, and count as one.
    @Test func `a sentence in parts counts once`() {
        let satellites = (1...13).map { "\($0),U,\($0 * 10),45,40,064" }.joined(separator: ",")
        let body = "PUBX,03,13,\(satellites)"
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        var stream = SentenceStream()
        var parts: [UInt8] = []
        stream.push(Array("$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8).span.bytes) { _, sentence in
            if case .proprietary(.pubx03(let part)) = sentence { parts.append(part.count) }
        }
        #expect(parts == [8, 5])
        #expect(stream.counts.sentences == 1)
    }
}
