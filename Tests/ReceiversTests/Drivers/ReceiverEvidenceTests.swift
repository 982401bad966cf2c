import Testing

@testable import Receivers

@Suite struct ReceiverEvidenceTests {
    @Test(arguments: [
        ("GNTXT,01,01,02,HW UBX-M8030 00080000", ReceiverChip.ublox8), ("GPTXT,01,01,02,HW  UBX-G60xx  00040007 FF7FFFFFp", .ublox6),
        ("GNTXT,01,01,02,PROTVER=32.01", .ubloxM9), ("GNTXT,01,01,02,PROTVER=34.10", .ubloxM10), ("GPTXT,01,01,02,PROTVER 14.00", .ublox7),
        ("PMTK011,MTKGPS", .mediatek), ("PAIR002", .airoha), ("PQTMVERNO,LC29H", .quectel), ("PSTMVER,GNSSLIB", .teseo),
        ("PSRF150,1", .sirf),
        ("GPTXT,01,01,02,IC=AT6558-5N-31-0C510800,BLANK", .casic), ("PGRME,3.0,M,4.0,M,5.0,M", .generic),
    ])
    func whatOneSentenceTells(body: String, chip: ReceiverChip) {
        var evidence = ReceiverEvidence()
        evidence.hear(body)
        #expect(evidence.chip == chip)
    }

    @Test func aModuleOfQuectelsIsMoreThanItsChip() {
        var evidence = ReceiverEvidence()
        for body in ["PAIR001,382,0", "PQTMVERNO,LC76G"] { evidence.hear(body) }
        #expect(evidence.chip == .quectel)
    }

    @Test func aUbloxOfUnknownAgeHasToBeAsked() {
        var evidence = ReceiverEvidence(vendor: "u-blox")
        #expect(evidence.isUblox && evidence.chip == nil)
        evidence.protocolVersion = "18.00"
        #expect(evidence.chip == .ublox8 && evidence.protocolNumber == 18)
    }

    @Test func ordinarySentencesTellNothing() {
        var evidence = ReceiverEvidence()
        for body in ["GNGGA,1,2", "GPTXT,01,01,01,ANTENNA OK", "", ",,,", "GPTXT"] { evidence.hear(body) }
        #expect(evidence.chip == nil && !evidence.isUblox)
        for number in 0..<1000 { evidence.hear("P\(number),x") }
        #expect(evidence.proprietary.count == ReceiverEvidence.most)
    }

    @Test(arguments: ReceiverChip.allCases)
    func figuresMakeSense(chip: ReceiverChip) {
        let figures = EnergyFigures.of(chip)
        #expect(figures.acquiring >= figures.tracking && figures.tracking >= figures.current(in: .powerSave))
        #expect(figures.current(in: .stopped) < figures.tracking && figures.standby <= figures.current(in: .tracking))
        #expect(figures.hotStart <= figures.warmStart && figures.warmStart <= figures.coldStart)
        #expect(figures.power(in: .tracking, supply: 5) > figures.power(in: .tracking))
    }
}
