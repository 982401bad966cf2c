import Chronology
import Testing

@Suite struct RFC3339Tests {
    @Test(arguments: [
        "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2000-02-29T12:34:56.789Z", "2026-11-21T06:07:08.250Z",
        "9999-12-31T23:59:59.999Z",
    ])
    func `canonical text parses to the same text`(text: String) throws {
        #expect(try #require(UTCTime(rfc3339: text)).description == text)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00.000Z"),
        ("2017-1-9", "2017-01-09T00:00:00.000Z"),
        ("2026-11-21T06:07:08Z", "2026-11-21T06:07:08.000Z"),
        ("2026-11-21t06:07:08z", "2026-11-21T06:07:08.000Z"),
        ("2026-11-21 06:07:08Z", "2026-11-21T06:07:08.000Z"),
        ("2026-11-21T06:07:08.1Z", "2026-11-21T06:07:08.100Z"),
        ("2026-11-21T06:07:08.123999999Z", "2026-11-21T06:07:08.123Z"),
        ("2026-11-21T00:30:00+01:00", "2026-11-20T23:30:00.000Z"),
        ("2026-11-21T20:30:00-05:30", "2026-11-22T02:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ])
    func `other RFC 3339 forms are parsed`(text: String, meaning: String) throws {
        #expect(try #require(UTCTime(rfc3339: text)).description == meaning)
    }

    @Test(arguments: [
        "", "now", "2026", "2026-11", "26-11-21", "2026-11-21T", "2026-11-21T06", "2026-11-21T06:07:08",
        "2026-11-21T24:00:00Z",
        "2026-11-21T06:60:00Z", "2026-11-21T06:07:61Z", "2026-11-21T06:07:08.Z", "2026-11-21T06:07:08Zulu",
        "2026-11-21T06:07:08+1:00",
        "2026-11-21T06:07:08+24:00", "2025-02-29", "2025-07-32", "2022-11-23T", "2026-11-21Z", " 2026-11-21",
        "٢٠٢٦-11-21", "0000-01-01",
        "99999999999999999999-01-01",
    ])
    func `invalid timestamps are rejected`(text: String) {
        #expect(UTCTime(rfc3339: text) == nil)
    }

    @Test func `years out of range are clamped`() {
        #expect(UTCTime(date: CivilDate(daysSince1970: 3_000_000), millisecondsOfDay: 0).description.hasPrefix("9999-"))
        #expect(UTCTime(date: CivilDate(daysSince1970: -800_000), millisecondsOfDay: 0).description.hasPrefix("0000-"))
    }
}
