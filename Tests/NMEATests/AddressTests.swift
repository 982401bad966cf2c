import NMEA
import Testing

@Suite struct AddressTests {
    private func address(_ body: String) -> Address { Sentence.decode(Array(body.utf8).span.bytes).address }

    @Test(arguments: [
        ("GPGGA,", Address("GP", "GGA"), true), ("GNRMC,", Address("GN", "RMC"), true),
        ("BDGSV,", Address("BD", "GSV"), true),
        ("QZGSV,", Address("QZ", "GSV"), true), ("PQGSV,1,1,0", Address("PQ", "GSV"), true),
        ("PQGSA,", Address("PQ", "GSA"), true),
        ("IIHDT,", Address("II", "HDT"), false), ("PUBX,00", Address("", "PUBX"), false),
        ("PGRME,15.0,M", Address("", "PGRME"), false),
        ("PQTMEPE,2", Address("", "PQTMEPE"), false), ("PQTMGPS,2", Address("", "PQTMGPS"), false),
        ("GPGGA", Address("GP", "GGA"), true),
    ])
    func `talkers and formatters are parsed`(body: String, wanted: Address, isGNSS: Bool) {
        #expect(address(body) == wanted)
        #expect(address(body).isGNSS == isGNSS)
    }

    @Test(arguments: ["GPGGA,", "PUBX,00", "PQGSV,1,1,0", "PMTK001,314,3", "GPXTE,A"])
    func `the description restores the address`(body: String) {
        #expect(address(body).description == String(body.prefix { $0 != "," }))
    }

    /// `$PGRMC` is Garmin's own sentence and not an RMC.
    @Test(arguments: [
        "PGRMC,A,218.8,100,6378137.000", "PGRMT,GPS 18,,,,,,,,", "GPXTE,A,A,0.67,L,N", "HEROT,0.1,A", "PMTK869,2,1",
        "STI,030",
    ])
    func `unsupported sentences are unknown`(body: String) {
        #expect(decode(body).isUnknown)
    }

    @Test(arguments: ["", ",", "GP", "gpgga,1", "GPGGA;1", "G GGA,", "ÆØÅGGA,", "GPGGAGPGGAGPGGAGPGGA,"])
    func `invalid addresses are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
