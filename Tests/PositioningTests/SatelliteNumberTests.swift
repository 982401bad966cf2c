import NMEA
import Testing

@testable import Positioning

/// The numbering table (`SatelliteNumber`), one row for each form of a satellite number.
@Suite struct SatelliteNumberTests {
    @Test(
        arguments: [
            ("GP", 1, nil, Constellation.gps, 1), ("GP", 32, nil, .gps, 32), ("GN", 12, 1, .gps, 12),
            ("GP", 33, nil, .sbas, 120),
            ("GN", 51, 1, .sbas, 138),
            ("GP", 64, nil, .sbas, 151), ("GP", 120, nil, .sbas, 120), ("GP", 158, nil, .sbas, 158),
        ] as [(StaticString, Int, Int?, Constellation, Int)])
    func `GPS and SBAS numbers are resolved`(
        talker: StaticString, number: Int, id: Int?, system: Constellation, within: Int
    ) {
        expect(talker: talker, number: number, systemID: id, resolvesTo: system, number: within)
    }

    @Test(
        arguments: [
            ("GL", 65, nil, Constellation.glonass, 1), ("GN", 88, 2, .glonass, 24), ("GL", 1, nil, .glonass, 1),
            ("GN", 70, nil, .glonass, 6),
            ("GN", 96, nil, .glonass, 32), ("GP", 70, nil, .glonass, 6), ("GN", 24, 2, .glonass, 24),
        ] as [(StaticString, Int, Int?, Constellation, Int)])
    func `GLONASS numbers are resolved`(talker: StaticString, number: Int, id: Int?, system: Constellation, within: Int)
    {
        expect(talker: talker, number: number, systemID: id, resolvesTo: system, number: within)
    }

    @Test(
        arguments: [
            ("GA", 1, nil, Constellation.galileo, 1), ("GN", 36, 3, .galileo, 36), ("GA", 301, nil, .galileo, 1),
            ("GP", 336, nil, .galileo, 36),
            ("GA", 102, nil, .galileo, 2), ("GB", 1, nil, .beidou, 1), ("GN", 63, 4, .beidou, 63),
            ("BD", 14, nil, .beidou, 14),
            ("GB", 401, nil, .beidou, 1),
            ("GP", 437, nil, .beidou, 37), ("GB", 201, nil, .beidou, 1), ("GN", 235, nil, .beidou, 35),
            ("PQ", 14, 4, .beidou, 14),
        ] as [(StaticString, Int, Int?, Constellation, Int)])
    func `Galileo and BeiDou numbers are resolved`(
        talker: StaticString, number: Int, id: Int?, system: Constellation, within: Int
    ) {
        expect(talker: talker, number: number, systemID: id, resolvesTo: system, number: within)
    }

    @Test(
        arguments: [
            ("GQ", 1, nil, Constellation.qzss, 1), ("GN", 10, 5, .qzss, 10), ("QZ", 193, nil, .qzss, 1),
            ("GP", 195, nil, .qzss, 3),
            ("GN", 199, 5, .qzss, 7),
            ("GI", 1, nil, .navic, 1), ("GN", 15, 6, .navic, 15), ("GI", 901, nil, .navic, 1),
            ("GP", 918, nil, .navic, 18),
            ("GP", 173, nil, .imes, 173),
            ("GN", 999, nil, .unknown, 999), ("GP", 500, nil, .unknown, 500), ("GN", 65_535, 3, .unknown, 65_535),
        ] as [(StaticString, Int, Int?, Constellation, Int)])
    func `numbers of the other systems are resolved`(
        talker: StaticString, number: Int, id: Int?, system: Constellation, within: Int
    ) {
        expect(talker: talker, number: number, systemID: id, resolvesTo: system, number: within)
    }

    /// Some receivers use the talker GP for everything.
    @Test(arguments: [(2, 65, Constellation.glonass, 1), (3, 5, .galileo, 5), (4, 5, .beidou, 5), (1, 5, .gps, 5)])
    func `the system id takes precedence over the talker`(id: Int, number: Int, system: Constellation, within: Int) {
        expect(talker: "GP", number: number, systemID: id, resolvesTo: system, number: within)
    }

    @Test func `an unknown GLONASS slot has no number`() {
        let (system, number) = SatelliteNumber.resolve(
            0, address: Address(talker: "GL", formatter: "GSV"), systemID: nil)
        #expect(system == .glonass)
        #expect(number == nil)
    }

    private func expect(
        talker: StaticString, number: Int, systemID id: Int?, resolvesTo system: Constellation, number within: Int
    ) {
        let found = SatelliteNumber.resolve(number, address: Address(talker: talker, formatter: "GSV"), systemID: id)
        #expect(found.system == system)
        #expect(found.number == within)
    }
}
