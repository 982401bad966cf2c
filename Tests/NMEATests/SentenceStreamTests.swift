import NMEA
import Testing

@Suite struct SentenceStreamTests {
    private func push(_ text: String, into stream: inout SentenceStream) -> [String] {
        var received: [String] = []
        stream.push(Array(text.utf8).span.bytes) { address, _ in received.append(address.description) }
        return received
    }

    @Test func `unknown sentences are delivered and malformed ones are not`() {
        var stream = SentenceStream()
        let received = push(
            line("GPGGA,1") + line("GPXTE,A,A,0.67,L,N") + line("GPHDT,218.83,T") + line(""), into: &stream)
        #expect(received == ["GPXTE", "GPHDT"])
        #expect(stream.counts.sentences == 4)
        #expect(stream.counts.unknown == 1)
        #expect(stream.counts.malformed == 2)
    }

    @Test func `a restart keeps the counts and drops the partial sentence`() {
        var stream = SentenceStream()
        #expect(push(line("GPHDT,1.0,T") + "$GPHDT,2.0", into: &stream) == ["GPHDT"])
        stream = stream.reopened()
        #expect(push(",T*00\r\n" + line("GPHDT,3.0,T"), into: &stream) == ["GPHDT"])
        #expect(stream.counts.sentences == 2)
        #expect(stream.counts.checksumErrors == 0)
    }

    /// After a replug the receiver may be another one, so the acceptance of missing checksums
    /// starts again.
    @Test func `a restart resets the acceptance of missing checksums`() {
        let bare = "$GPHDT,218.83,T\r\n"
        var stream = SentenceStream()
        #expect(push(String(repeating: bare, count: 4), into: &stream).count == 1)
        stream = stream.reopened()
        #expect(push(bare, into: &stream).isEmpty)
    }
}
