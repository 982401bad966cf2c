import Calibration
import Positioning
import Testing

/// The accuracy model against recorded logs: what `make calibration` prints, held to what `docs/accuracy.md` promises.
@Suite(.enabled(if: SharedCaptures.folder != nil, SharedCaptures.whereToFindThem))
struct CalibrationFigureTests {
    private static let calibration = Result {
        try Calibration { try Files.read("\(SharedCaptures.folder ?? "")/\($0)") }
    }

    /// 68 % is meant; what all epochs of a log have wrong alike does not show, so more is to be expected, but not much.
    @Test func sixtyEightPercentOfReceiversAtRest() throws {
        let share = try #require(try Self.calibration.get().pool.sextant.share)
        #expect((0.63...0.78).contains(share))
    }

    /// Under a poor sky HDOP alone holds 43 %.
    @Test func aPoorSky() throws {
        let entry = try #require(try Self.calibration.get().atRest.first { $0.log.file == "recorded/signalk_gps.log" })
        #expect(try #require(entry.comparison.sextant.share) >= 0.55)
        #expect(try #require(entry.comparison.plain.share) < 0.45)
    }

    @Test func theDrive() throws {
        let drive = try Self.calibration.get().drive
        #expect(drive.map(\.quality) == [.rtkFixed, .rtkFloat, .differential])
        for kind in drive {
            #expect(try #require(kind.comparison.sextant.share) >= 0.68, "\(kind.quality)")
            #expect(try #require(kind.comparison.sextant.smallestClaim) >= 0.1, "\(kind.quality)")
        }
    }

    /// A drive beside its truth has no bias to hide: the claim of carrier phase is not many times its error either.
    @Test func carrierPhaseIsNotPessimistic() throws {
        let fixed = try #require(try Self.calibration.get().drive.first { $0.quality == .rtkFixed })
        #expect(try #require(fixed.comparison.sextant.medianClaim) <= 0.15)
    }

    @Test func speeds() throws {
        let calibration = try Self.calibration.get()
        #expect(try #require(calibration.pool.speed.share) >= 0.63)
        for kind in calibration.drive { #expect(try #require(kind.comparison.speed.share) >= 0.68, "\(kind.quality)") }
    }

    /// The lever arm is a property of the car.
    @Test func theLeverArm() throws {
        let calibration = try Self.calibration.get()
        let lever = try #require(calibration.lever)
        #expect(abs(lever.ahead + 0.46) < 0.03)
        #expect(abs(lever.right - 0.11) < 0.05)
        #expect(calibration.leverEpochs > 400)
    }

    @Test func everyLogHasARowAndTheTextNamesThem() throws {
        let calibration = try Self.calibration.get()
        let text = calibration.text
        for log in RecordedLog.atRest { #expect(text.contains(log.file)) }
        #expect(CalibrationRecord.all(calibration).count { $0.kind == "log" } == RecordedLog.atRest.count)
    }
}
