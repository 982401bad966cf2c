import Chronology
import NMEA
import Testing

@testable import Simulator

@Suite struct SkyModelTests {
    private let sky = SkyModel(seed: 11, constellations: [(.gps, [1]), (.galileo, [7, 1])])

    @Test func `the sky is plausible at any hour`() {
        for hour in 0..<48 {
            let time = UTCTime(milliseconds: 1_780_000_000_000 + Int64(hour) * 3_600_000)
            let gps = sky.view(at: time, acquisition: .clear).filter { $0.system == .gps }
            #expect((5...16).contains(gps.count))
            #expect(gps.filter(\.isUsed).count >= 4)
            for satellite in gps {
                #expect((0...90).contains(satellite.elevation ?? -1) && (0..<360).contains(satellite.azimuth ?? -1))
                #expect((15...55).contains(satellite.carrierToNoise ?? -1))
            }
        }
    }

    @Test func `satellites move slowly`() {
        let a = sky.view(at: UTCTime(milliseconds: 1_780_000_000_000), acquisition: .clear)
        let b = sky.view(at: UTCTime(milliseconds: 1_780_000_060_000), acquisition: .clear)
        let later = Dictionary(
            b.map { ([$0.system.rawValue, $0.number, $0.signal], $0) }, uniquingKeysWith: { first, _ in first })
        for satellite in a {
            guard let moved = later[[satellite.system.rawValue, satellite.number, satellite.signal]] else { continue }
            #expect(abs((moved.elevation ?? 0) - (satellite.elevation ?? 0)) <= 2)
        }
        #expect(a != b)
    }

    @Test func `a blocked sky keeps its satellites without signals`() {
        let time = UTCTime(milliseconds: 1_780_000_000_000)
        let blocked = sky.view(at: time, acquisition: .blocked)
        #expect(blocked.count == sky.view(at: time, acquisition: .clear).count)
        #expect(blocked.allSatisfy { $0.carrierToNoise == nil && !$0.isUsed })
        #expect(DilutionOfPrecision(satellites: blocked) == nil)
    }

    /// Four satellites: one overhead, three on the horizon 120 degrees apart. VDOP^2 = 4/3, HDOP^2
    /// = 4/3 (Kaplan and Hegarty, 11.2).
    @Test func `the dilution of a known geometry is exact`() throws {
        let satellites = [(90, 0), (0, 0), (0, 120), (0, 240)].enumerated().map { number, place in
            var satellite = SentenceEncoder.Satellite(system: .gps, number: number + 1)
            satellite.elevation = place.0
            satellite.azimuth = place.1
            satellite.isUsed = true
            return satellite
        }
        let dop = try #require(DilutionOfPrecision(satellites: satellites))
        #expect(abs(dop.horizontal - (4.0 / 3).squareRoot()) < 1e-9)
        #expect(abs(dop.vertical - (4.0 / 3).squareRoot()) < 1e-9)
        #expect(abs(dop.time - (1.0 / 3).squareRoot()) < 1e-9)
    }
}
