import NMEA
import Testing

@Suite struct AddressTests {
    private func address(_ body: String) -> Address { Sentence.decode(Array(body.utf8).span.bytes).address }

    @Test(arguments: [
        ("GPGGA,", Address(talker: "GP", formatter: "GGA"), true),
        ("GNRMC,", Address(talker: "GN", formatter: "RMC"), true),
        ("BDGSV,", Address(talker: "BD", formatter: "GSV"), true),
        ("QZGSV,", Address(talker: "QZ", formatter: "GSV"), true),
        ("PQGSV,1,1,0", Address(talker: "PQ", formatter: "GSV"), true),
        ("PQGSA,", Address(talker: "PQ", formatter: "GSA"), true),
        ("IIHDT,", Address(talker: "II", formatter: "HDT"), false),
        ("PUBX,00", Address(talker: "", formatter: "PUBX"), false),
        ("PGRME,15.0,M", Address(talker: "", formatter: "PGRME"), false),
        ("PQTMEPE,2", Address(talker: "", formatter: "PQTMEPE"), false),
        ("PQTMGPS,2", Address(talker: "", formatter: "PQTMGPS"), false),
        ("GPGGA", Address(talker: "GP", formatter: "GGA"), true),
    ])
    func `talkers and formatters are parsed`(body: String, wanted: Address, isGNSS: Bool) {
        #expect(address(body) == wanted)
        #expect(address(body).isGNSS == isGNSS)
    }

    @Test(arguments: ["GPGGA,", "PUBX,00", "PQGSV,1,1,0", "PMTK001,314,3", "GPXTE,A"])
    func `the description restores the address`(body: String) {
        #expect(address(body).description == String(body.prefix { $0 != "," }))
    }

    @Test(arguments: ["", ",", "GP", "gpgga,1", "GPGGA;1", "G GGA,", "ÆØÅGGA,", "GPGGAGPGGAGPGGAGPGGA,"])
    func `invalid addresses are malformed`(body: String) {
        #expect(decode(body).isMalformed)
    }
}
