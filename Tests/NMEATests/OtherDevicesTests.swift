import NMEA
import Testing

/// What else is on a boat's bus, and what of a receiver is of no use here: neither read nor damage.
@Suite struct OtherDevicesTests {
    @Test(arguments: [
        "WIMWV,214.8,R,0.1,K,A", "SDDBT,8.1,f,2.4,M,1.3,F", "SDDPT,2.4,0.0", "VWVHW,,T,,M,0.0,N,0.0,K", "HCHDG,101.1,,,7.1,W",
        "TIROT,35.6,A",
        "GPGRS,024603.00,1,-1.8,-2.7,0.3,,,,,,,,,", "GNGRS,104148.00,1,2.6,2.2,-1.6,-1.1,-1.7,-1.5,5.8,1.7,,,,,1,1",
        "GPALM,1,1,15,1159,00,441d",
        "GPVLW,,N,,N,0.0,N,0.0,N", "PFLAU,2,1,2,1,1,-30,2,-32,755,1", "PGLOR,1,FIX,1.0", "PERDCRZ,TPS4,7,1,1",
    ])
    func isPassedOver(body: String) {
        var stream = SentenceStream()
        var heard = 0
        stream.push(Array(line(body).utf8).span.bytes) { _, sentence in heard += sentence.isUnknown ? 1 : 0 }
        #expect(heard == 1)
        #expect(stream.counts.unknown == 1)
        #expect(stream.counts.malformed == 0)
    }

    /// AIS opens with `!`.
    @Test func targetsOfAIS() {
        var stream = SentenceStream()
        let body = "AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0"
        stream.push(Array("!\(body)*\(checksum(body))\r\n".utf8).span.bytes) { _, sentence in #expect(sentence.isUnknown) }
        var wanted = InputCounts()
        (wanted.bytes, wanted.sentences, wanted.unknown) = (body.utf8.count + 6, 1, 1)
        #expect(stream.counts == wanted)
    }

    /// Every sentence is copied more than once on its way: no new kind may make all of them larger.
    @Test func aSentenceStaysSmall() {
        #expect(MemoryLayout<Sentence>.size <= 106)
    }
}
