import Testing

@testable import MotionReport

@Suite struct ReportTextTests {
    @Test(arguments: [(-0.4, "-0.4", "-0.40"), (-12.06, "-12.1", "-12.06"), (0, "0.0", "0.00"), (3.06, "3.1", "3.06")])
    func `numbers keep their sign`(value: Double, tenths: String, hundredths: String) {
        #expect(MotionReportTable.tenths(value) == tenths)
        #expect(FenceReport.hundredths(value) == hundredths)
    }
}
