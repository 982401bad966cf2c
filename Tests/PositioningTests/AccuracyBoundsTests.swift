import Testing

@testable import Positioning

@Suite struct AccuracyBoundsTests {
    /// Found by fuzzing: evidence against a position raised the vertical error without limit.
    @Test func `a jump across the Earth leaves every accuracy finite`() throws {
        var pipeline = FixPipeline()
        for second in stride(from: 0, to: 24, by: 2) {
            let time = Body.clock(36_000_000 + second * 1000)
            let place = second % 6 == 4 || second > 18 ? "5128.95563,N,00000.45703,W" : "4405.556,N,12118.298,W"
            let bodies = [
                "GNRMC,\(time),A,\(place),0.0,,211126,,,A", "GNGGA,\(time),\(place),1,12,0.85,8.5,M,45.9,M,,",
                "PUBX,00,\(time),\(place),54.4,G3,2.1,2.3,0.4,73.4,0.0,,0.85,1.21,0.92,18,0,0",
            ]
            for fix in pipeline.burst(bodies) where fix.coordinate != nil {
                let vertical = try #require(fix.verticalAccuracy)
                #expect(try #require(fix.horizontalAccuracy) <= AccuracyConstants.maxPlausibleError)
                #expect(vertical <= AccuracyConstants.maxPlausibleError)
            }
        }
    }
}
