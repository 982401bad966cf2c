import Testing

@testable import Calibration

@Suite struct CoverageTests {
    @Test func sharesAndQuantiles() {
        var coverage = Coverage()
        for metre in 1...10 { coverage.count(error: Double(metre), claim: 7, wide: 9) }
        #expect(coverage.share == 0.7)
        #expect(coverage.wideShare == 0.9)
        #expect(coverage.error(0.68) == 7)
        #expect(coverage.medianClaim == 7)
        var other = Coverage()
        other.count(error: 0, claim: 1, wide: 2)
        coverage.count(other)
        #expect(coverage.epochs == 11)
        #expect(coverage.smallestClaim == 1)
    }

    @Test func nothingHasNoShare() {
        #expect(Coverage().share == nil)
        #expect(Coverage().error(0.5) == nil)
    }
}
