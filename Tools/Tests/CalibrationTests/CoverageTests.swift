import Testing

@testable import Calibration

@Suite struct CoverageTests {
    @Test func `shares and quantiles are computed and merged`() {
        var coverage = ClaimCoverage()
        for metre in 1...10 { coverage.add(Double(metre), claim: 7, wide: 9) }
        #expect(coverage.share == 0.7)
        #expect(coverage.wideShare == 0.9)
        #expect(coverage.error(0.68) == 7)
        #expect(coverage.medianClaim == 7)
        var other = ClaimCoverage()
        other.add(0, claim: 1, wide: 2)
        coverage.add(other)
        #expect(coverage.epochs == 11)
        #expect(coverage.minClaim == 1)
    }

    @Test func `an empty coverage has no share and no quantile`() {
        #expect(ClaimCoverage().share == nil)
        #expect(ClaimCoverage().error(0.5) == nil)
    }
}
