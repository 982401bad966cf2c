import NMEA
import Testing

@Suite struct TXTTests {
    @Test func theTextKeepsItsCommas() throws {
        let txt = try #require(decode("GNTXT,01,01,01,0,500482,0000,80A0,80A0,-37.847,0").txt)
        #expect(txt.severity == 1)
        #expect(txt.text.string == "0,500482,0000,80A0,80A0,-37.847,0")
    }

    @Test(arguments: [
        ("ANTSTATUS=OK", TXT.Antenna.good), ("ANTSTATUS=OPEN", .open), ("ANTSTATUS=SHORT", .short), ("ANTENNA OK", .good),
        ("ANTENNA OPEN", .open),
        ("ANTENNA SHORT", .short), ("ANTSTATUS=DONTKNOW", nil), ("ANTSTATUS=INIT", nil), ("ANTSUPERV=AC SD PDoS SR", nil),
        ("ANTARIS ATR062x HW 80040001", nil), ("u-blox ag - www.u-blox.com", nil), ("OPEN", nil), ("", nil),
    ])
    func theAntenna(text: String, state: TXT.Antenna?) throws {
        #expect(try #require(decode("GPTXT,01,01,02,\(text)").txt).antenna == state)
    }

    @Test func longTextsAreCut() throws {
        let text = try #require(decode("GPTXT,01,01,02,\(String(repeating: "x", count: 300))").txt).text.string
        #expect(text == String(repeating: "x", count: 80))
    }

    @Test func textsAreISO8859() throws {
        let body = Array("GPTXT,01,01,02,caf".utf8) + [0xE9]
        #expect(try #require(Sentence.decode(body.span.bytes).sentence.txt).text.string == "café")
    }

    /// What `sl869` sends at power-up: a sentence that never was one.
    @Test(arguments: ["GPTXT", "GPTXT,TELIT SW Ve", "GPTXT,01,01"])
    func cutTooShort(body: String) {
        #expect(decode(body).isMalformed)
    }
}
