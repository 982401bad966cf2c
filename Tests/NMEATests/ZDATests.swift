import Chronology
import NMEA
import Testing

@Suite struct ZDATests {
    /// Complete, with empty zones, with half a zone, and with one extra field.
    @Test(arguments: [
        "GPZDA,193223.00,23,12,2007,00,00", "GPZDA,193223.000,23,12,2007,,", "GPZDA,193223,23,12,2007,7",
        "GPZDA,193223.00,23,12,2007,00,00,",
    ])
    func `every version is parsed`(body: String) throws {
        let zda = try #require(decode(body).zda)
        #expect(zda.time == TimeOfDay(hour: 19, minute: 32, second: 23))
        #expect(zda.date == CivilDate(year: 2007, month: 12, day: 23))
    }

    @Test(arguments: [
        "GPZDA,,,,,00,00", "GPZDA,193223,31,02,2007,,", "GPZDA,193223,00,00,0000,,", "GPZDA,193223,23,12,-2007,,",
    ])
    func `invalid dates have no value`(body: String) throws {
        #expect(try #require(decode(body).zda).date == nil)
    }

    @Test(arguments: ["GPZDA", "GPZDA,193223.00,23,12"])
    func `truncated sentences are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
