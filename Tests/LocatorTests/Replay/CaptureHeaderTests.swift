import Chronology
import Locator
import Testing

@Suite struct CaptureHeaderTests {
    private func header(_ text: String) -> CaptureHeader { CaptureHeader(Array(text.utf8)) }

    @Test func `keys and values are parsed`() {
        let header = header(
            "# Name: BN-880\n# Chipset = ublox NEO-M8N\r\n#Submitter= G <g@example.org>\n# \n# a remark\n# Notes: a: "
                + "b\n$GPGGA,1\n# Late: no\n"
        )
        #expect(header["Name"] == "BN-880")
        #expect(header["chipset"] == "ublox NEO-M8N")
        #expect(header["SUBMITTER"] == "G <g@example.org>")
        #expect(header["Notes"] == "a: b")
        #expect(header["Late"] == nil)
        #expect(header.entries.count == 4)
    }

    @Test(arguments: [
        ("$GPGGA,1\n", 0), ("# a: b\n$GPGGA", 7), ("# a: b\r\n", 8), ("# a: b", 6), ("", 0), ("\n# a: b\n", 0),
        ("# a: b\r$GPGGA", 7), ("# a: b\r# c: d\r$GPGGA", 14), ("# a: b\r\r\n# c: d\r\r\n$GPGGA", 18),
    ])
    func `the header ends at its last comment line`(text: String, length: Int) {
        #expect(header(text).length == length)
    }

    /// A date without a time means noon, so that every time of day is nearest to that date.
    @Test(arguments: [
        ("# Date: 2026-06-22T21:15:00.000Z", "2026-06-22T21:15:00.000Z"),
        ("# Date: 2026-06-22", "2026-06-22T12:00:00.000Z"),
        ("# Date = 2015-03-18", "2015-03-18T12:00:00.000Z"), ("# Date: 2017-1-9", "2017-01-09T12:00:00.000Z"),
        ("# Date: 2022-11-23T", "2022-11-23T12:00:00.000Z"),
        ("# date: 2009-06-24 (a Wednesday)", "2009-06-24T12:00:00.000Z"),
        ("# Date: 2021-02-03T04:05:06+02:00", "2021-02-03T02:05:06.000Z"),
    ])
    func `dates are parsed`(line: String, meaning: String) {
        #expect(header(line + "\n").date?.description == meaning)
    }

    @Test(arguments: [
        "# Date: 2025-07-32", "# Date:", "# Date: yesterday", "# Date: 23 March 2009", "# Day: 2026-06-22",
        "Date: 2026-06-22", "",
    ])
    func `invalid dates are ignored`(line: String) {
        #expect(header(line + "\n").date == nil)
    }

    @Test func `bytes that are not valid text are skipped`() {
        let header = CaptureHeader([35, 0xFF, 0xFE, 58, 0, 10, 35])
        #expect(header.length == 7)
        #expect(header.date == nil)
    }
}
