import Testing

@testable import Receivers

@Suite struct GNSSProofTests {
    @Test(
        arguments: [
            (["GNGGA", "GNRMC"], true), (["GPGSV", "GLGSV"], true), (["PQGSA", "PQGSA"], true), (["BDGSV", "GBGSV"], true),
            (["GNGGA"], false), ([], false),
            (["GPTXT", "GPTXT", "GPZDA"], false),  // a clock or a talkative something
            (["HCHDG", "HCHDT", "HCHDM"], false),  // a compass
            (["AIVDM", "AIVDM", "AIVDO"], false),  // AIS
            (["SDDBT", "SDDPT", "VWVHW"], false),  // echo sounder, log
            (["PUBX", "PUBX"], true), (["PQTMPVT", "PQTMPVT"], true), (["PTNL", "PSTI"], true), (["PGRMF", "GPRMC"], true),
            (["PASHR", "PASHR", "PASHR"], false),  // a motion sensor
            (["PGRME", "PGRMZ", "PUBX"], false), (["GNGGAX", "GGA", "", "$GNGGA"], false),
        ] as [([String], Bool)])
    func twoGNSSSentencesProveIt(addresses: [String], proven: Bool) {
        var proof = GNSSProof()
        for address in addresses { proof.accept(address: address) }
        #expect(proof.isProven == proven)
        var bytes = GNSSProof()
        for address in addresses { bytes.accept(address: Array(address.utf8)) }
        #expect(bytes == proof)
    }

    @Test func bytesThatAreNoTextAreNoProof() {
        var proof = GNSSProof()
        proof.accept(address: [0xFF, 0xFE, 0x80, 0x00, 0xC3])
        #expect(!proof.isProven)
    }
}
