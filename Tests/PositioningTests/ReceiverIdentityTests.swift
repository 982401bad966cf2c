import NMEA
import Testing

@testable import Positioning

@Suite struct ReceiverIdentityTests {
    private func identity(texts: [String]) -> ReceiverIdentity {
        var identity = ReceiverIdentity()
        for text in texts { identity.update(fromText: text) }
        return identity
    }

    private func identity(_ bodies: [String]) -> ReceiverIdentity {
        var identity = ReceiverIdentity()
        for body in bodies {
            guard case .proprietary(let own) = Sentence.decode(Array(body.utf8).span.bytes).sentence else { continue }
            identity.update(from: own)
        }
        return identity
    }

    private func parts(_ identity: ReceiverIdentity) -> [String?] {
        [identity.vendor, identity.module, identity.chipset, identity.firmware, identity.protocolVersion]
    }

    /// The texts of the captures `ublox8-uniqid-monhw` and `ublox-lea-5h`, and of an M8 and an M10
    /// from u-blox's integration manuals.
    @Test(
        arguments: [
            (
                [
                    "u-blox ag - www.u-blox.com", "HW UBX-M80xx 00080000 ",
                    "ROM CORE 2.01 (75331) Oct 29 2013 13:28:17", "PROTVER 15.00",
                    "ANTSUPERV=AC SD PDoS SR", "GNSS OTP:  GPS GLO, SEL:  GPS GLO", "ANTSTATUS=OK",
                ], ["u-blox", nil, "UBX-M80xx", "ROM CORE 2.01", "15.00"]
            ),
            (
                [
                    "u-blox ag - www.u-blox.com", "HW  UBX-G50xx  00040005 ",
                    "EXT CORE 6.00 (33247) May 13 2009 17:35:46",
                    "ROM BASE 5.00 (28483)",
                    "MOD LEA-5H-0",
                ], ["u-blox", "LEA-5H-0", "UBX-G50xx", "EXT CORE 6.00", nil]
            ),
            (
                [
                    "HW UBX-M8030 00080000", "ROM CORE 3.01 (107888)", "FWVER=SPG 3.01", "PROTVER=18.00",
                    "MOD=NEO-M8N-0",
                    "FIS=0xEF4015 (100111)",
                ],
                ["u-blox", "NEO-M8N-0", "UBX-M8030", "SPG 3.01", "18.00"]
            ),
            (["ANTARIS ATR062x HW 80040001", "u-blox AG - www.u-blox.com"], ["u-blox", nil, "ATR062x", nil, nil]),
            (
                [
                    "MA=CASIC", "HW=ATGM336H,0001170603610", "IC=AT6558-5N-31-0C510800,BM05CKJ-F2-015708",
                    "SW=URANUS5,V5.3.0.0",
                    "TB=2020-04-28,13:43:10", "MO=GB", "ANTENNA OPEN",
                ], ["CASIC", "ATGM336H", "AT6558", "URANUS5 V5.3.0.0", nil]
            ),
            (["IC=AT6558R-5N-32-1C580901"], ["CASIC", nil, "AT6558R", nil, nil]),
            (
                [
                    "ANTENNA OK", "ANTSTATUS=OK", "txbuf alloc", "0,500482,0000,80A0,80A0,-37.847,0", "", "=", "SW=",
                    "HW", "=x", "MOD",
                    "ROM CORE",
                ],
                [nil, nil, nil, nil, nil]
            ),
        ] as [([String], [String?])])
    func `TXT messages give the identity`(texts: [String], known: [String?]) {
        #expect(parts(identity(texts: texts)) == known)
    }

    @Test(
        arguments: [
            (["PMTK011,MTKGPS", "PMTK010,001"], ["MediaTek", nil, nil, nil, nil]),
            (
                ["PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0"],
                ["MediaTek", "PA6H", "MT3339", "AXN_2.31_3339_13101700", nil]
            ),
            (["PMTK705,AXN_1.30,0145,Fastrax IT500,"], ["MediaTek", "Fastrax IT500", nil, "AXN_1.30", nil]),
            (
                ["PMTK705,MT3333_AXN5.1.9_MODULE_STD_F1_P1,0007,Quectel-L76L,1.0"],
                ["MediaTek", "Quectel-L76L", "MT3333", "MT3333_AXN5.1.9_MODULE_STD_F1_P1", nil]
            ),
            (
                ["PAIR021,AG3352Q_V2.3.0.AG3352_20230213,S,N"],
                ["Airoha", nil, "AG3352Q", "AG3352Q_V2.3.0.AG3352_20230213", nil]
            ),
            (
                ["PAIR021,REYAX_RYS3520_V2.6.0_20230323,S,N"],
                ["Airoha", "REYAX_RYS3520", nil, "REYAX_RYS3520_V2.6.0_20230323", nil]
            ),
            (
                ["PAIR020,AG3335A_V2.3.0,S", "PQTMVERNO,LC29HAANR11A05S,2023/05/19,11:16:03"],
                ["Quectel", "LC29HAA", "AG3335A", "LC29HAANR11A05S", nil]
            ),
            (
                ["PQTMVERNO,LC29HDANR11A03S_RSA", "PAIR021,AG3335A_V2.3.0"],
                ["Quectel", "LC29HDA", "AG3335A", "LC29HDANR11A03S_RSA", nil]
            ),
            (["PQTMVERNO,ERROR,1"], [nil, nil, nil, nil, nil]),
            (["PSTMVER,GNSSLIB_7.1.1.15_ARM"], ["STMicroelectronics", nil, nil, "GNSSLIB 7.1.1.15", nil]),
            (
                ["PSTMVER,BINIMG_4.6.8.5_ARM", "PSTMVER,GNSSLIB_8.4.8_ARM", "PSTMVER,STA80XX_0x622BC043"],
                ["STMicroelectronics", nil, "STA80XX", "BINIMG 4.6.8.5", nil]
            ),
            (
                ["PSTMVER,GPS Version 4.20.5 Release ARM (15:52:14 Feb  4 2005),0x8C0B"],
                ["STMicroelectronics", nil, nil, "GPS Version 4.20.5 Release ARM", nil]
            ),
            (["PSRF150,1"], ["SiRF", nil, nil, nil, nil]), (["PAIR002"], ["Airoha", nil, nil, nil, nil]),
            (
                ["PDTINFO,UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,2310414000033"],
                ["Unicore", "UM621-02", nil, "R6.0.0.0Build2810", nil]
            ),
            (["PMTK705,,,", "PDTINFO,,"], ["Unicore", nil, nil, nil, nil]),
            (["PGRME,1,M,2,M,3,M"], [nil, nil, nil, nil, nil]),
        ] as [([String], [String?])])
    func `proprietary messages give the identity`(bodies: [String], known: [String?]) {
        #expect(parts(identity(bodies)) == known)
    }

    @Test func `only a new text changes the identity`() {
        var identity = ReceiverIdentity()
        #expect(!identity.isKnown)
        let isNew = (identity.update(fromText: "FWVER=SPG 3.01"), identity.update(fromText: "FWVER=SPG 3.01"))
        #expect(isNew == (true, false))
        #expect(identity.isKnown)
    }
}
