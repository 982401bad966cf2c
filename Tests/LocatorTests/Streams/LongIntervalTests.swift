import Chronology
import Geodesy
import Positioning
import Testing

@testable import Locator

/// Streams with intervals of minutes.
@Suite struct LongIntervalTests {
    @Test func `the first fix after a rest does not wait for the interval`() throws {
        var options = StreamOptions()
        options.minimumInterval = .seconds(600)
        var filter = StreamFilter(configuration: .default, options: options)
        let coordinate = try #require(Coordinate(latitude: 48, longitude: 11))
        let place = StationaryPlace(coordinate: coordinate, horizontalAccuracy: 2, since: .zero)
        func admits(second: Int64) -> Bool {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.time = UTCTime(milliseconds: 1_800_000_000_000 + second * 1000)
            return filter.admits(fix, at: .zero + .seconds(Double(second)))
        }
        #expect(admits(second: 0))
        #expect(!admits(second: 60))
        #expect(filter.process(.becameStationary(place)) == .pause(place))
        #expect(!admits(second: 120))
        #expect(filter.process(.becameMoving(since: .zero + .seconds(179))) == .resume)
        #expect(admits(second: 180))
        #expect(!admits(second: 181))
        #expect(!admits(second: 779))
        #expect(admits(second: 780))
    }

    /// The receiver searches when the next fix is due, not more often.
    @Test func `without sky a long interval is not shortened by the search`() {
        var planner = PowerPlanner()
        planner.updateDemand(Demand(interval: .seconds(600), stationaryCheckInterval: nil), at: .zero)
        var starts: [Double] = []
        var wasAwake = false
        for second in 0..<7200 {
            let now = Instant.zero + .seconds(Double(second))
            while let due = planner.deadline, due <= now { planner.tick(at: now) }
            guard case .run = planner.plan else { wasAwake = false; continue }
            if !wasAwake { starts.append(Double(second)) }
            wasAwake = true
        }
        let pauses = zip(starts, starts.dropFirst()).map { $1 - $0 }
        #expect(starts.count >= 10)
        #expect(pauses.allSatisfy { $0 >= 595 }, "\(pauses)")
    }
}
