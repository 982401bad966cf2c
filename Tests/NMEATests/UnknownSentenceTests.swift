import NMEA
import Testing

/// Sentences of other devices on a boat's bus, and receiver sentences without use here: they are
/// not decoded and do not count as damaged.
@Suite struct UnknownSentenceTests {
    @Test(arguments: [
        "WIMWV,214.8,R,0.1,K,A", "SDDBT,8.1,f,2.4,M,1.3,F", "SDDPT,2.4,0.0",
        "TIROT,35.6,A", "GPXTE,A,A,0.67,L,N", "STI,030",
        "GPGRS,024603.00,1,-1.8,-2.7,0.3,,,,,,,,,", "GNGRS,104148.00,1,2.6,2.2,-1.6,-1.1,-1.7,-1.5,5.8,1.7,,,,,1,1",
        "GPALM,1,1,15,1159,00,441d",
        "GPVLW,,N,,N,0.0,N,0.0,N", "PFLAU,2,1,2,1,1,-30,2,-32,755,1", "PGLOR,1,FIX,1.0", "PERDCRZ,TPS4,7,1,1",
        // Garmin's own sentences: the first one is no RMC.
        "PGRMC,A,218.8,100,6378137.000", "PGRMT,GPS 18,,,,,,,,", "PMTK869,2,1",
    ])
    func `sentences without a decoder are counted as unknown`(body: String) {
        var stream = SentenceStream()
        var received = 0
        stream.push(Array(line(body).utf8).span.bytes) { _, sentence in received += sentence.isUnknown ? 1 : 0 }
        #expect(received == 1)
        #expect(stream.counts.unknown == 1)
        #expect(stream.counts.malformed == 0)
    }

    /// AIS sentences start with `!`.
    @Test func `AIS messages are counted as unknown`() {
        var stream = SentenceStream()
        let body = "AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0"
        stream.push(Array("!\(body)*\(checksum(body))\r\n".utf8).span.bytes) { _, sentence in
            #expect(sentence.isUnknown)
        }
        var wanted = InputCounts()
        wanted.bytes = body.utf8.count + 6
        wanted.sentences = 1
        wanted.unknown = 1
        #expect(stream.counts == wanted)
    }

    /// Every sentence is copied more than once, so a new kind must not enlarge all of them.
    @Test func `a sentence takes at most 106 bytes`() {
        #expect(MemoryLayout<Sentence>.size <= 106)
    }
}
