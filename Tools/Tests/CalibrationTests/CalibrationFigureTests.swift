import Calibration
import Positioning
import TestSupport
import Testing

/// The accuracy model against recorded logs: the figures that `make calibration` prints must meet
/// the promises of `docs/accuracy.md`.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct CalibrationFigureTests {
    private static let calibration = Result {
        try Calibration { try PackageFiles.read("\(SharedCaptures.folder ?? "")/\($0)") }
    }

    /// The target is 68 %. An error common to all epochs of a log does not show, so a slightly
    /// higher share is expected.
    @Test func `about 68 % of fixes at rest lie within their claimed accuracy`() throws {
        let share = try #require(try Self.calibration.get().pool.sextant.share)
        #expect((0.63...0.78).contains(share))
    }

    /// Under this poor sky HDOP alone covers only 43 %.
    @Test func `a poor sky keeps at least 55 % of fixes within their claim`() throws {
        let entry = try #require(try Self.calibration.get().atRest.first { $0.log.file == "recorded/signalk_gps.log" })
        #expect(try #require(entry.comparison.sextant.share) >= 0.55)
        #expect(try #require(entry.comparison.plain.share) < 0.45)
    }

    @Test func `the drive keeps 68 % of fixes within their claim for every quality`() throws {
        let drive = try Self.calibration.get().drive
        #expect(drive.map(\.quality) == [.rtkFixed, .rtkFloat, .differential])
        for kind in drive {
            #expect(try #require(kind.comparison.sextant.share) >= 0.68, "\(kind.quality)")
            #expect(try #require(kind.comparison.sextant.minClaim) >= 0.1, "\(kind.quality)")
        }
    }

    /// The reference of a drive has no hidden bias, so the accuracy of a carrier-phase fix must not
    /// be many times its error.
    @Test func `the RTK fixed claim is at most 15 cm`() throws {
        let fixed = try #require(try Self.calibration.get().drive.first { $0.quality == .rtkFixed })
        #expect(try #require(fixed.comparison.sextant.medianClaim) <= 0.15)
    }

    /// An error that a whole log has in common does not show, so that a higher share is expected.
    @Test func `an average has its true place within its radius in 60 to 85 % of the windows`() throws {
        let averages = try Self.calibration.get().averages
        #expect(averages.count == 5 && averages.allSatisfy { $0.coverage.epochs >= 70 })
        for average in averages where average.name.hasSuffix("all windows") {
            #expect((0.6...0.85).contains(try #require(average.coverage.share)), "\(average.name)")
        }
    }

    @Test func `speed accuracy holds at rest and on the drive`() throws {
        let calibration = try Self.calibration.get()
        #expect(try #require(calibration.pool.speed.share) >= 0.63)
        for kind in calibration.drive { #expect(try #require(kind.comparison.speed.share) >= 0.68, "\(kind.quality)") }
    }

    /// The lever arm is a property of the car.
    @Test func `the lever arm of the car is found`() throws {
        let calibration = try Self.calibration.get()
        let lever = try #require(calibration.lever)
        #expect(abs(lever.ahead + 0.46) < 0.03)
        #expect(abs(lever.right - 0.11) < 0.05)
        #expect(calibration.leverEpochs > 400)
    }

    @Test func `every log has a record and the text names it`() throws {
        let calibration = try Self.calibration.get()
        let text = calibration.text
        for log in RecordedLog.atRest { #expect(text.contains(log.file)) }
        #expect(CalibrationRecord.all(calibration).count { $0.kind == "log" } == RecordedLog.atRest.count)
    }
}
