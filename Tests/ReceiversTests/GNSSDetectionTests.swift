import Testing

@testable import Receivers

@Suite struct GNSSDetectionTests {
    @Test(
        arguments: [
            (["GNGGA", "GNRMC"], true), (["GPGSV", "GLGSV"], true), (["PQGSA", "PQGSA"], true),
            (["BDGSV", "GBGSV"], true),
            (["GNGGA"], false), ([], false),
            (["GPTXT", "GPTXT", "GPZDA"], false),  // a clock or another text source
            (["HCHDG", "HCHDT", "HCHDM"], false),  // a compass
            (["AIVDM", "AIVDM", "AIVDO"], false),  // AIS
            (["SDDBT", "SDDPT", "VWVHW"], false),  // echo sounder, log
            (["PUBX", "PUBX"], true), (["PQTMPVT", "PQTMPVT"], true), (["PTNL", "PSTI"], true),
            (["PGRMF", "GPRMC"], true),
            (["PASHR", "PASHR", "PASHR"], false),  // a motion sensor
            (["PGRME", "PGRMZ", "PUBX"], false), (["GNGGAX", "GGA", "", "$GNGGA"], false),
        ] as [([String], Bool)])
    func `two GNSS sentences confirm a receiver`(addresses: [String], confirmed: Bool) {
        var proof = GNSSDetection()
        for address in addresses { proof.accept(address: address) }
        #expect(proof.isConfirmed == confirmed)
        var bytes = GNSSDetection()
        for address in addresses { bytes.accept(address: Array(address.utf8)) }
        #expect(bytes == proof)
    }

    @Test func `bytes that are not text confirm nothing`() {
        var proof = GNSSDetection()
        proof.accept(address: [0xFF, 0xFE, 0x80, 0x00, 0xC3])
        #expect(!proof.isConfirmed)
    }
}
