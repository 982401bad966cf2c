import Chronology
import Locator
import Positioning
import Testing

@testable import Simulator

@Suite("Pauses and departures")
struct ResumeScoreTests {
    private static func update(stationary: Bool) -> Update {
        var update = Update(location: ReceiverFix(fix: Fix(mode: .threeD, quality: .autonomous), receiver: "a"))
        update.stationary = stationary
        return update
    }
    private let stationaryUpdate = ResumeScoreTests.update(stationary: true)
    private let movingUpdate = ResumeScoreTests.update(stationary: false)

    @Test
    func `the last stream sets the delay and all streams set the stationary time`() {
        var score = ResumeScore(departures: [.seconds(100)], streams: 2)
        score.record(stationaryUpdate, streams: [0], at: .seconds(10))
        score.record(stationaryUpdate, streams: [1], at: .seconds(20))
        score.record(movingUpdate, streams: [0], at: .seconds(130))
        score.record(movingUpdate, streams: [1], at: .seconds(140))
        score.finish(at: .seconds(200))
        #expect(
            score.delays == [40] && score.stationary == .seconds(110) && score.missed == 0
                && score.falseResumes == 0)
    }

    @Test
    func `a departure without an update is missed only if a stream was stationary`() {
        var score = ResumeScore(departures: [.seconds(5), .seconds(100), .seconds(150)], streams: 1)
        score.record(movingUpdate, streams: [0], at: .seconds(6))
        score.record(stationaryUpdate, streams: [0], at: .seconds(60))
        score.record(movingUpdate, streams: [0], at: .seconds(151))
        score.finish(at: .seconds(200))
        #expect(score.missed == 1 && score.delays == [1])
    }

    @Test
    func `a resume without a departure is counted as false`() {
        var score = ResumeScore(departures: [.seconds(100)], streams: 1)
        score.record(stationaryUpdate, streams: [0], at: .seconds(10))
        score.record(movingUpdate, streams: [0], at: .seconds(20))
        score.finish(at: .seconds(90))
        #expect(score.falseResumes == 1 && score.delays == [] && score.stationary == .seconds(10))
    }
}
