import NMEA
import Testing

@Suite struct ChecksumPolicyTests {
    private let bare = "$GPGLL,2200.097,S,01756.346,W\r\n"

    @Test func theHabitIsBelievedAfterThreeLines() {
        let framed = frame(String(repeating: bare, count: 5))
        #expect(framed.counts.missingChecksums == 3)
        #expect(framed.counts.sentences == 2)
    }

    @Test func oneGoodChecksumEndsIt() {
        let framed = frame(String(repeating: bare, count: 5) + line("GPHDT,218.83,T") + String(repeating: bare, count: 5))
        #expect(framed.counts.missingChecksums == 8)
        #expect(framed.counts.sentences == 3)
    }

    @Test func acknowledgementsAreNeverBelieved() {
        let framed = frame(String(repeating: bare, count: 4) + "$PMTK001,314,3\r\n$PUBX,00,1\r\n")
        #expect(framed.counts.sentences == 1)
        #expect(framed.counts.missingChecksums == 5)
    }

    @Test(arguments: ["$\r\n", "$GPGL\r\n", "$login: \r\n", "$ echo $HOME,1\r\n", "$12.50, please\r\n"])
    func linesThatAreNoSentences(text: String) {
        #expect(frame(String(repeating: text, count: 10)).counts.sentences == 0)
    }

    @Test func textsWithoutAnAddressTeachNothing() {
        #expect(frame(String(repeating: "$hello, world\r\n", count: 10) + bare).counts.sentences == 0)
    }
}
