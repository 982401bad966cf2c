import Chronology
import Delivery
import Positioning
import Testing

@testable import Rehearsal

@Suite("Silences and departures")
struct ResumeScoreTests {
    private static func update(stationary: Bool) -> Update {
        var update = Update(location: Location(fix: Fix(mode: .threeD, quality: .autonomous), receiver: "a"))
        update.stationary = stationary
        return update
    }
    private let rests = ResumeScoreTests.update(stationary: true)
    private let moves = ResumeScoreTests.update(stationary: false)

    @Test
    func `the last stream sets the delay and all streams set the stationary time`() {
        var ledger = ResumeScore([.seconds(100)], streams: 2)
        ledger.note(rests, streams: [0], at: .seconds(10))
        ledger.note(rests, streams: [1], at: .seconds(20))
        ledger.note(moves, streams: [0], at: .seconds(130))
        ledger.note(moves, streams: [1], at: .seconds(140))
        ledger.finish(at: .seconds(200))
        #expect(
            ledger.delays == [40] && ledger.stationary == .seconds(110) && ledger.missed == 0
                && ledger.falseResumes == 0)
    }

    @Test
    func `a departure without an update is missed only if a stream was stationary`() {
        var ledger = ResumeScore([.seconds(5), .seconds(100), .seconds(150)], streams: 1)
        ledger.note(moves, streams: [0], at: .seconds(6))
        ledger.note(rests, streams: [0], at: .seconds(60))
        ledger.note(moves, streams: [0], at: .seconds(151))
        ledger.finish(at: .seconds(200))
        #expect(ledger.missed == 1 && ledger.delays == [1])
    }

    @Test
    func `a resume without a departure is counted as false`() {
        var ledger = ResumeScore([.seconds(100)], streams: 1)
        ledger.note(rests, streams: [0], at: .seconds(10))
        ledger.note(moves, streams: [0], at: .seconds(20))
        ledger.finish(at: .seconds(90))
        #expect(ledger.falseResumes == 1 && ledger.delays == [] && ledger.stationary == .seconds(10))
    }
}
