import Chronology
import Positioning
import TestSupport
import Testing

/// Properties that the fixes of the captures must have regardless of the golden files.
@Suite struct OwnCaptureTests {
    private func fixes(_ name: String) throws -> [Fix] {
        Playback.fixes(try PackageFiles.read("\(PackageFiles.package)/captures/\(name).nmea"))
    }

    /// The number of epochs, the number with a position, the first and the last time.
    @Test(arguments: [
        ("ublox-6", 120, 120, "2026-03-14T09:26:53.000Z", "2026-03-14T09:28:52.000Z"),
        ("ublox-m8", 150, 150, "2026-03-14T10:00:00.000Z", "2026-03-14T10:02:29.000Z"),
        ("mtk", 180, 180, "2026-04-02T17:05:00.000Z", "2026-04-02T17:07:59.000Z"),
        ("sirf", 180, 180, "2026-04-03T06:30:00.487Z", "2026-04-03T06:32:59.487Z"),
        ("casic", 90, 90, "2026-04-04T12:00:00.000Z", "2026-04-04T12:01:29.000Z"),
        ("garmin", 120, 120, "2026-04-05T15:45:00.000Z", "2026-04-05T15:46:59.000Z"),
        ("quectel", 100, 100, "2026-04-06T08:00:00.000Z", "2026-04-06T08:01:39.000Z"),
        ("tunnel", 110, 88, "2026-05-03T11:00:00.000Z", "2026-05-03T11:01:49.000Z"),
        ("cold-start", 60, 36, "-", "2026-05-01T04:00:59.000Z"),
        ("midnight", 90, 90, "2026-12-31T23:59:15.000Z", "2027-01-01T00:00:44.000Z"),
        ("rollover", 90, 90, "2026-06-15T18:20:00.487Z", "2026-06-15T18:21:29.487Z"), ("undated", 30, 30, "-", "-"),
        ("multi-constellation-10hz", 180, 180, "2026-06-20T07:00:00.000Z", "2026-06-20T07:00:17.900Z"),
        ("corrupt-lines", 115, 115, "2026-06-21T13:00:00.000Z", "2026-06-21T13:01:59.000Z"),
        ("parked", 330, 330, "2026-06-24T18:00:00.000Z", "2026-06-24T18:05:29.000Z"),
        ("no-date", 120, 120, "2026-06-22T21:15:00.000Z", "2026-06-22T21:16:59.000Z"),
    ])
    func `each capture has the expected epochs, positions and times`(
        name: String, epochs: Int, positions: Int, first: String, last: String
    ) throws {
        let fixes = try fixes(name)
        #expect(fixes.count == epochs)
        #expect(fixes.count { $0.coordinate != nil } == positions)
        #expect(fixes.first?.time?.description ?? "-" == first)
        #expect(fixes.last?.time?.description ?? "-" == last)
        let times = fixes.compactMap(\.time)
        #expect(times == times.sorted())
        #expect(Set(times).count == times.count)
    }

    @Test func `the tunnel has no positions`() throws {
        let without = try fixes("tunnel").filter { $0.coordinate == nil }.compactMap {
            $0.time?.description.dropLast(5).suffix(8)
        }
        #expect(without.first == "11:00:40")
        #expect(without.last == "11:01:01")
        #expect(without.count == 22)
    }

    @Test func `a fix with a position always has an accuracy`() throws {
        for name in GoldenTests.captures {
            for fix in try fixes(name) where fix.coordinate != nil {
                #expect((fix.horizontalAccuracy ?? 0) >= 1)
                #expect(fix.accuracySource != nil)
                #expect(fix.mode != .none)
            }
        }
    }
}
