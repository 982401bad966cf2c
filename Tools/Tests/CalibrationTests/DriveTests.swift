import Chronology
import Geodesy
import Positioning
import Testing

@testable import Calibration

/// A synthetic drive around a square, with the antenna 0.5 m behind and 0.25 m to the right of the
/// reference.
@Suite struct DriveTests {
    private static let arm = LocalPlane.Offset(east: 0.25, north: -0.5)

    private func drive() throws -> (Drive, Int) {
        var reference = ""
        var fixes: [Fix] = []
        for second in 0..<200 {
            let course = Double(second / 50) * 90
            let time =
                "12" + (second / 60 < 10 ? "0" : "") + "\(second / 60)" + (second % 60 < 10 ? "0" : "")
                + "\(second % 60)"
            let minutes = 1000 + second
            reference += "$GPGGA,\(time),4700.\(minutes),N,00800.0000,E,1,15,1.0,6.83,M,-32.64,M,,*00\r\n"
            reference += "$GPRMC,\(time),A,4700.000,N,00800.000,E,20.0,\(course),070220,,,A*00\r\n"
            let truth = try #require(Coordinate(latitude: 47 + Double(minutes) / 10_000 / 60, longitude: 8))
            let bearing = Self.arm.bearing + course
            var fix = Fix(mode: .threeD, quality: .rtkFixed)
            fix.coordinate = truth.moved(by: Self.arm.length, bearing: bearing)
            fix.time = .init(rfc3339: "2020-02-07T\(time.prefix(2)):\(time.dropFirst(2).prefix(2)):\(time.suffix(2))Z")
            (fix.horizontalAccuracy, fix.accuracySource) = (0.1, .hdop)
            fixes.append(fix)
        }
        return (Drive(fixes, reference: ReferenceTrack(Array(reference.utf8))), fixes.count)
    }

    @Test func `the lever arm is found in the vehicle frame`() throws {
        let (drive, count) = try drive()
        let lever = try #require(drive.lever)
        #expect(drive.leverEpochs == count)
        #expect(abs(lever.ahead - Self.arm.north) < 1e-3)
        #expect(abs(lever.right - Self.arm.east) < 1e-3)
    }

    @Test func `removing the lever arm leaves no error`() throws {
        let (drive, count) = try drive()
        let without = try #require(drive.compare(withoutLever: true)[.rtkFixed])
        #expect(without.sextant.epochs == count)
        #expect(without.sextant.share == 1)
        #expect(drive.compare(withoutLever: false)[.rtkFixed]?.sextant.share == 0)
    }
}
