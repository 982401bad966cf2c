import Geodesy
import Positioning
import Testing

@testable import Calibration

@Suite struct ClaimsTests {
    private func fix(_ quality: FixQuality, hdop: Double?) -> Fix {
        var fix = Fix(mode: .threeD, quality: quality)
        fix.hdop = hdop
        return fix
    }

    /// Only DGPS has the smaller constant; RTK has gpsd's largest.
    @Test(arguments: [(FixQuality.autonomous, 19.0), (.differential, 4.75), (.rtkFixed, 19)])
    func gpsd(quality: FixQuality, metres: Double) {
        #expect(Claims.gpsd95(fix(quality, hdop: 1)) == metres)
        #expect(Claims.gpsd95(fix(quality, hdop: nil)) == nil)
    }

    /// Nine fixes on a line, 1 m apart: the median is the middle one.
    @Test func aReceiverAtRestStandsAtItsMedian() throws {
        let plane = LocalPlane(origin: try #require(Coordinate(latitude: 50, longitude: 6)))
        let fixes = (0..<9).map { metre in
            var fix = fix(.autonomous, hdop: 0.5)
            fix.coordinate = plane.coordinate(at: .init(east: Double(metre), north: 0))
            (fix.horizontalAccuracy, fix.accuracySource, fix.speed, fix.speedAccuracy) = (2.5, .hdop, 0.05, 0.1)
            return fix
        }
        let comparison = StandingReceiver.compare(fixes)
        #expect(comparison.sextant.share.map { abs($0 - 5.0 / 9) < 1e-9 } == true)
        #expect(comparison.bySource[.hdop]?.epochs == 9)
        #expect(comparison.speed.share == 1)
        #expect(StandingReceiver.compare([]).sextant.epochs == 0)
    }
}
