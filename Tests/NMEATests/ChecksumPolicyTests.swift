import NMEA
import Testing

@Suite struct ChecksumPolicyTests {
    private let bare = "$GPGLL,2200.097,S,01756.346,W\r\n"

    @Test func `sentences without checksums are accepted after three lines`() {
        let framed = frame(String(repeating: bare, count: 5))
        #expect(framed.counts.missingChecksums == 3)
        #expect(framed.counts.sentences == 2)
    }

    @Test func `one valid checksum ends the acceptance of sentences without`() {
        let framed = frame(
            String(repeating: bare, count: 5) + line("GPHDT,218.83,T") + String(repeating: bare, count: 5))
        #expect(framed.counts.missingChecksums == 8)
        #expect(framed.counts.sentences == 3)
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
