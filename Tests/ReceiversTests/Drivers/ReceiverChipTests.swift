import Positioning
import Testing

@testable import Receivers

@Suite struct ReceiverChipTests {
    @Test(arguments: [
        ("GNTXT,01,01,02,HW UBX-M8030 00080000", ReceiverChip.ublox8),
        ("GPTXT,01,01,02,HW  UBX-G60xx  00040007 FF7FFFFFp", .ublox6),
        ("GNTXT,01,01,02,PROTVER=32.01", .ubloxM9), ("GNTXT,01,01,02,PROTVER=34.10", .ubloxM10),
        ("GPTXT,01,01,02,PROTVER 14.00", .ublox7),
        ("PMTK011,MTKGPS", .mediatek), ("PAIR002", .airoha), ("PQTMVERNO,LC29H", .quectel), ("PSTMVER,GNSSLIB", .teseo),
        ("PSRF150,1", .sirf),
        ("GPTXT,01,01,02,IC=AT6558-5N-31-0C510800,BLANK", .casic), ("PGRME,3.0,M,4.0,M,5.0,M", .generic),
    ])
    func `one sentence can identify the chip`(body: String, chip: ReceiverChip) {
        var identity = ReceiverIdentity()
        identity.recordEvidence(body)
        #expect(identity.chip == chip)
    }

    @Test func `a Quectel module takes precedence over its Airoha chip`() {
        var identity = ReceiverIdentity()
        for body in ["PAIR001,382,0", "PQTMVERNO,LC76G"] { identity.recordEvidence(body) }
        #expect(identity.chip == .quectel)
    }

    @Test func `a u-blox needs its protocol version to be identified`() {
        var identity = ReceiverIdentity()
        identity.vendor = "u-blox"
        #expect(identity.isUblox && identity.chip == nil)
        identity.protocolVersion = "18.00"
        #expect(identity.chip == .ublox8 && identity.protocolNumber == 18)
    }

    @Test func `ordinary sentences identify no chip`() {
        var identity = ReceiverIdentity()
        for body in ["GNGGA,1,2", "GPTXT,01,01,01,ANTENNA OK", "", ",,,", "GPTXT"] { identity.recordEvidence(body) }
        #expect(identity.chip == nil && !identity.isUblox)
        for number in 0..<1000 { identity.recordEvidence("P\(number),x") }
        #expect(identity.proprietaryAddresses.count == ReceiverIdentity.maxEvidence)
    }

    @Test func `repeated version messages use no more memory`() {
        let texts = ["ROM CORE 3.01", "00080000", "PROTVER=18.00", "FWVER=SPG 3.01"]
        let payload = zip(texts, [30, 10, 30, 30]).flatMap { text, width in
            Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
        }
        var identification = ReceiverIdentification(ReceiverIdentity())
        for _ in 0..<1000 { identification.record(.ubx(UBXFrame(0x0A, 0x04, payload))) }
        #expect(identification.identity.texts.count == ReceiverIdentity.maxEvidence)
        #expect(identification.identity.chip == .ublox8)
    }

    @Test(arguments: ReceiverChip.allCases)
    func `energy figures are consistent`(chip: ReceiverChip) {
        let figures = EnergyFigures(for: chip)
        #expect(figures.acquiring >= figures.tracking && figures.tracking >= figures.current(in: .powerSave))
        #expect(figures.current(in: .stopped) < figures.tracking && figures.standby <= figures.current(in: .tracking))
        #expect(figures.hotStart <= figures.warmStart && figures.warmStart <= figures.coldStart)
        #expect(figures.power(in: .tracking, supply: 5) > figures.power(in: .tracking))
    }
}
