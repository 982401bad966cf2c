import NMEA
import Testing

@Suite struct TXTTests {
    @Test func `the text keeps its commas`() throws {
        let txt = try #require(decode("GNTXT,01,01,01,0,500482,0000,80A0,80A0,-37.847,0").txt)
        #expect(txt.severity == 1)
        #expect(txt.text.string == "0,500482,0000,80A0,80A0,-37.847,0")
    }

    @Test(arguments: [
        ("ANTSTATUS=OK", TXT.Antenna.good), ("ANTSTATUS=OPEN", .open), ("ANTSTATUS=SHORT", .short),
        ("ANTENNA OK", .good),
        ("ANTENNA OPEN", .open),
        ("ANTENNA SHORT", .short), ("ANTSTATUS=DONTKNOW", nil), ("ANTSTATUS=INIT", nil),
        ("ANTSUPERV=AC SD PDoS SR", nil),
        ("ANTARIS ATR062x HW 80040001", nil), ("u-blox ag - www.u-blox.com", nil), ("OPEN", nil), ("", nil),
    ])
    func `the antenna status is parsed`(text: String, state: TXT.Antenna?) throws {
        #expect(try #require(decode("GPTXT,01,01,02,\(text)").txt).antenna == state)
    }

    @Test(arguments: [
        ("SIMULATED BY SEXTANT", true), ("SIMULATED BY another program", true), ("SIMULATED", false),
        ("simulated by", false), ("u-blox ag - www.u-blox.com", false), ("", false),
    ])
    func `a simulated receiver announces itself`(text: String, announces: Bool) throws {
        #expect(try #require(decode("GPTXT,01,01,02,\(text)").txt).announcesSimulation == announces)
    }

    @Test func `long texts are truncated to 80 characters`() throws {
        let text = try #require(decode("GPTXT,01,01,02,\(String(repeating: "x", count: 300))").txt).text.string
        #expect(text == String(repeating: "x", count: 80))
    }

    @Test func `texts are ISO 8859-1`() throws {
        let body = Array("GPTXT,01,01,02,caf".utf8) + [0xE9]
        #expect(try #require(Sentence.decode(body.span.bytes).sentence.txt).text.string == "café")
    }

    /// Includes the malformed sentence that `sl869` sends at power-up.
    @Test(arguments: ["GPTXT", "GPTXT,TELIT SW Ve", "GPTXT,01,01"])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }

    @Test(arguments: [
        ("u-blox", "blox", true), ("u-blox", "u-blox", true), ("u-blox", "", true), ("", "", true), ("aab", "ab", true),
        ("u-blox", "BLOX", false), ("ab", "abc", false), ("", "a", false), ("aba", "bb", false),
    ])
    func `a part of a text is found`(text: String, part: String, isFound: Bool) {
        #expect(text.contains(part: part) == isFound)
    }
}
