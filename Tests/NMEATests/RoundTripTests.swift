import Chronology
import NMEA
import TestSupport
import Testing

/// The decoders read the encoder's output to the last printed digit, for every layout.
@Suite struct RoundTripTests {
    private static let layouts: [SentenceLayout] = [
        .init(version: .v2_3, talker: "GP"), .init(version: .v4_0, talker: "GN"), .init(version: .v4_10, talker: "GN"),
        .init(version: .v4_11, talker: "GN"),
    ]
    private static let fixes: [(mode: FAAMode, quality: UInt8)] = [
        (.autonomous, 1), (.differential, 2), (.precise, 3), (.rtkFixed, 4), (.rtkFloat, 5), (.estimated, 6),
    ]

    private func solution(_ generator: inout SeededGenerator) -> NavigationSolution {
        var s = NavigationSolution()
        s.time = Int.random(in: 0..<8_640_000, using: &generator) * 10
        s.date = CivilDate(daysSince1970: Int.random(in: 11_000...20_000, using: &generator))
        s.latitude = Double.random(in: -90...90, using: &generator)
        s.longitude = Double.random(in: -180...180, using: &generator)
        s.altitude = Double.random(in: -400...9000, using: &generator)
        s.geoidSeparation = Double.random(in: -100...80, using: &generator)
        s.speed = Double.random(in: 0...300, using: &generator)
        s.course = Double.random(in: 0..<359, using: &generator)
        s.magneticVariation = Double.random(in: -30...30, using: &generator)
        s.pdop = 2.5
        s.hdop = 1.25
        s.vdop = 2.0
        s.latitudeError = 1.5
        s.longitudeError = 2.5
        s.altitudeError = 3.5
        s.satellitesUsed = Int.random(in: 0...40, using: &generator)
        return s
    }

    private func read(_ layout: SentenceLayout, _ write: (inout SentenceEncoder) -> Void) -> [Sentence] {
        var encoder = SentenceEncoder(layout: layout)
        write(&encoder)
        var stream = SentenceStream()
        var sentences: [Sentence] = []
        stream.push(encoder.takeBytes().span.bytes) { sentences.append($1) }
        #expect(stream.counts.sentences == sentences.count)
        return sentences
    }

    private func expectPosition(_ position: Position?, _ s: NavigationSolution) {
        #expect(abs((position?.latitude ?? .nan) - (s.latitude ?? 0)) < 0.5e-5 / 60 + 1e-12)
        #expect(abs((position?.longitude ?? .nan) - (s.longitude ?? 0)) < 0.5e-5 / 60 + 1e-12)
    }

    @Test(arguments: 0..<4, fixes.indices)
    func `positions read back equal`(layout: Int, fix: Int) throws {
        var generator = SeededGenerator(seed: UInt64(layout * 10 + fix))
        let expected = Self.fixes[fix]
        for _ in 0..<50 {
            var s = solution(&generator)
            s.fix = expected.mode
            let sentences = read(Self.layouts[layout]) { encoder in
                encoder.gga(s)
                encoder.rmc(s)
                encoder.gll(s)
                encoder.gns(s, systems: [.gps, .glonass])
                encoder.pubx00(s)
            }
            try #require(sentences.count == 5)
            try check(sentences, s, mode: expected.mode, quality: expected.quality)
        }
    }

    private func check(_ sentences: [Sentence], _ s: NavigationSolution, mode: FAAMode, quality: UInt8) throws {
        let (gga, rmc) = (try #require(sentences[0].gga), try #require(sentences[1].rmc))
        let (gll, gns) = (try #require(sentences[2].gll), try #require(sentences[3].gns))
        let pubx = try #require(sentences[4].pubx00)
        for position in [gga.position, rmc.position, gll.position, gns.position, pubx.position] {
            expectPosition(position, s)
        }
        for time in [gga.time, rmc.time, gll.time, gns.time, pubx.time] { #expect(time?.milliseconds == s.time) }
        for letter in [rmc.mode, gll.mode, gns.mode] { #expect(letter == mode) }
        #expect(gga.quality == quality)
        #expect(rmc.date?.civilDate == s.date)
        for used in [gga.satellitesUsed, gns.satellitesUsed, pubx.satellitesUsed] {
            #expect(used.map(Int.init) == s.satellitesUsed)
        }
        #expect(abs((gga.altitude ?? .nan) - (s.altitude ?? 0)) <= 0.0501)
        #expect(abs((rmc.speed ?? .nan) - (s.speed ?? 0) * 3600 / 1852) <= 0.000501)
        #expect(abs((rmc.magneticVariation ?? .nan) - (s.magneticVariation ?? 0)) <= 0.0501)
    }

    @Test(arguments: 0..<4)
    func `the other sentences read back equal`(layout: Int) throws {
        var generator = SeededGenerator(seed: UInt64(layout))
        var s = solution(&generator)
        s.fix = .autonomous
        let sentences = read(Self.layouts[layout]) { encoder in
            encoder.vtg(s)
            encoder.zda(s)
            encoder.gst(s)
            encoder.gbs(s)
            encoder.hdt(218.83)
            encoder.ths(nil)
            encoder.dtm()
            encoder.txt("ANTSTATUS=OPEN")
        }
        try #require(sentences.count == 8)
        #expect(abs(try #require(sentences[0].vtg?.course) - (s.course ?? 0)) <= 0.00501)
        #expect(sentences[1].zda?.date == s.date)
        #expect(sentences[2].gst?.longitudeError == 2.5)
        #expect(sentences[3].gbs?.altitudeError == 3.5)
        #expect(sentences[4].hdt?.heading == 218.83)
        #expect(sentences[5].ths?.isValid == false)
        #expect(sentences[6].dtm?.isWGS84 == true)
        #expect(sentences[7].txt?.antenna == .open)
    }

    @Test(arguments: 0..<4)
    func `satellites read back equal`(layout: Int) throws {
        var satellites = (1...14).map { SentenceEncoder.Satellite(system: .gps, number: $0) }
        for index in satellites.indices {
            satellites[index].elevation = index * 6
            satellites[index].azimuth = index * 25
            satellites[index].carrierToNoise = 20 + index
            satellites[index].isUsed = true
        }
        let sentences = read(Self.layouts[layout]) { encoder in
            encoder.gsa(NavigationSolution(), satellites: satellites, systems: [.gps])
            encoder.gsv(satellites: satellites, systems: [.gps])
        }
        #expect(sentences.compactMap(\.gsa).flatMap(\.list) == Array(1...14))
        let inView = sentences.compactMap(\.gsv)
        #expect(inView.map(\.sentenceIndex) == [1, 2, 3, 4])
        #expect(inView.flatMap(\.list).map(\.number) == Array(1...14))
        #expect(inView.flatMap(\.list).map(\.azimuth) == (0..<14).map { UInt16($0 * 25) })
        #expect(inView.allSatisfy { $0.signalID == (Self.layouts[layout].version >= .v4_10 ? 1 : nil) })
    }
}
