import Locator
import Simulator
import Testing

@testable import Receivers

@Suite struct DriverReportTests {
    /// Before a suspension: a receiver that is being identified is waited for.
    @Test(arguments: [
        (DriverActivity.configuring, nil, false, false), (.unknown, nil, false, true),
        (.configuring, nil, true, true), (.portClosed, nil, false, true),
        (.configuring, ReceiverChip.ublox8, false, false), (.running, .ublox8, false, false),
        (.running, .ublox8, true, true), (.portClosed, .ublox8, false, true),
    ])
    func `a receiver is waited for while it can be put to sleep`(
        activity: DriverActivity, chip: ReceiverChip?, isUnresponsive: Bool, expected: Bool
    ) {
        var report = DriverReport(activity: activity, chip: chip, isUnresponsive: isUnresponsive)
        #expect(report.sleepsAsFarAsPossible == expected)
        report.isToldToSleep = true
        #expect(report.sleepsAsFarAsPossible == (expected || chip != nil))
    }

    @Test func `a driver that identifies its receiver is waited for until that is told to sleep`() throws {
        var stage = try DriverStage(.ublox8)
        stage.wait(2)
        #expect(stage.driver.report.chip == nil && !stage.driver.report.sleepsAsFarAsPossible)
        stage.follow(.sleepIndefinitely)
        stage.wait(8)
        #expect(stage.driver.report.chip == .ublox8 && stage.driver.report.sleepsAsFarAsPossible)
        #expect(stage.isReceiverAsleep)
    }
}
