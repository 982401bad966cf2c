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

    @Test(arguments: [(FixQuality.autonomous, 19.0), (.differential, 4.75), (.rtkFixed, 19)])
    func `gpsd uses a smaller constant for DGPS and its largest for RTK`(quality: FixQuality, metres: Double) {
        #expect(AccuracyClaims.gpsd95(fix(quality, hdop: 1)) == metres)
        #expect(AccuracyClaims.gpsd95(fix(quality, hdop: nil)) == nil)
    }

    /// Nine fixes on a line, 1 m apart: the median is the middle one.
    @Test func `a stationary receiver is compared with the median of its fixes`() throws {
        let plane = LocalPlane(origin: try #require(Coordinate(latitude: 50, longitude: 6)))
        let fixes = (0..<9).map { metre in
            var fix = fix(.autonomous, hdop: 0.5)
            fix.coordinate = plane.coordinate(at: .init(east: Double(metre), north: 0))
            fix.horizontalAccuracy = 2.5
            fix.accuracySource = .hdop
            fix.speed = 0.05
            fix.speedAccuracy = 0.1
            return fix
        }
        let comparison = StationaryReceiver.compare(fixes)
        #expect(comparison.sextant.share.map { abs($0 - 5.0 / 9) < 1e-9 } == true)
        #expect(comparison.bySource[.hdop]?.epochs == 9)
        #expect(comparison.speed.share == 1)
        #expect(StationaryReceiver.compare([]).sextant.epochs == 0)
    }
}
