import NMEA
import Testing

@Suite struct ChecksumPolicyTests {
    private let bare = "$GPGLL,2200.097,S,01756.346,W\r\n"

    @Test func `sentences without checksums are accepted after three lines`() {
        let framed = frame(String(repeating: bare, count: 5))
        #expect(framed.counts.missingChecksums == 3)
        #expect(framed.counts.sentences == 2)
    }

    @Test func `one valid checksum ends the acceptance of the same address without`() {
        let framed = frame(
            String(repeating: bare, count: 5) + line("GPGLL,2200.097,S,01756.346,W") + String(repeating: bare, count: 5)
        )
        #expect(framed.counts.missingChecksums == 8)
        #expect(framed.counts.sentences == 3)
    }

    /// A multiplexer with a GPS that sends no checksums and a receiver of AIS that does.
    @Test func `addresses without checksums are accepted beside others with them`() {
        let rmc = "$GNRMC,120000.00,A,4800.00000,N,01100.00000,E,0.10,0.0,150926,,,A\r\n"
        let gga = "$GNGGA,120000.00,4800.00000,N,01100.00000,E,1,09,0.9,45.0,M,47.0,M,,\r\n"
        let ais = "!AIVDM,1,1,,B,13md`u0P00PoLB4V`C8=;wvF24r0,0*16\r\n"
        let framed = frame(String(repeating: rmc + gga + ais, count: 12))
        // The second line of RMC and of GGA already follows a checksum.
        #expect(framed.counts.missingChecksums == 6)
        #expect(framed.counts.sentences == 9 + 9 + 12)
        let others = frame(ais + String(repeating: bare, count: 5))
        #expect(others.counts.missingChecksums == 3)
    }

    @Test func `a line that lost its checksum is rejected beside others with them`() {
        let fields = "4800.00000,N,01100.00000,E,1,09,0.9,45.0,M,47.0,M,,"
        let damaged = "$GNGGA,120001.00,\(fields)\r\n"
        let framed = frame(
            String(repeating: bare, count: 6) + line("GNGGA,120000.00,\(fields)")
                + String(repeating: damaged, count: 6))
        #expect(framed.counts.missingChecksums == 3 + 6)
        // A lone line of a kind that has not arrived before.
        #expect(frame(line("GNRMC,,V,,,,,,,,,,N") + damaged).counts.sentences == 1)
    }

    @Test func `memory is bounded when addresses never repeat`() {
        var text = ""
        for first in "ABCDEFGHIJ" { for second in "KLMNOQRSTU" { text += line("\(first)\(second)XDR,1") } }
        let framed = frame(text + String(repeating: bare, count: 10))
        #expect(framed.counts.sentences == 100)
        #expect(framed.counts.missingChecksums == 10)
    }

    @Test func `acknowledgements without checksums are never accepted`() {
        let framed = frame(String(repeating: bare, count: 4) + "$PMTK001,314,3\r\n$PUBX,00,1\r\n")
        #expect(framed.counts.sentences == 1)
        #expect(framed.counts.missingChecksums == 5)
    }

    @Test(arguments: ["$\r\n", "$GPGL\r\n", "$login: \r\n", "$ echo $HOME,1\r\n", "$12.50, please\r\n"])
    func `lines that are not sentences are not accepted`(text: String) {
        #expect(frame(String(repeating: text, count: 10)).counts.sentences == 0)
    }

    @Test func `text without an address does not count towards acceptance`() {
        #expect(frame(String(repeating: "$hello, world\r\n", count: 10) + bare).counts.sentences == 0)
    }
}
