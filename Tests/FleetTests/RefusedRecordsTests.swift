import Chronology
import Testing

@testable import Fleet

/// When a record that a server refuses is given up.
@Suite struct RefusedRecordsTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a record is given up after five refusals if the server accepts others`() {
        var refused = RefusedRecords()
        var results: [Bool] = []
        for number in 0..<5 {
            let now = at(Double(number) * 100)
            results.append(refused.refuse(7, at: now))
            refused.accept(Int64(100 + number))
            let isReleased = (refused.release(at: now + .seconds(59)), refused.release(at: now + .seconds(60)))
            #expect(isReleased.0 == nil && isReleased.1 == (number < 4 ? .inTurn : nil))
        }
        #expect(results == [false, false, false, false, true])
        #expect(refused.deadline == nil)
    }

    @Test func `without another record, a refused one is sent again after the pause`() {
        var refused = RefusedRecords()
        _ = refused.refuse(7, at: .zero)
        #expect(refused.deadline == at(60))
        let releases = [59.0, 60, 61].map { refused.release(at: at($0)) }
        #expect(releases == [nil, .last(7), nil] && refused.deadline == nil)
        refused.accept(8)
        let release = refused.release(at: at(62))
        #expect(release == .inTurn)
    }

    @Test func `a server that refuses everything gets all, however often it has refused`() {
        var refused = RefusedRecords()
        for number in 0..<1000 {
            let isGivenUp = refused.refuse(Int64(number % 3), at: at(Double(number) * 60))
            #expect(!isGivenUp)
        }
        // The first record that it accepts is not among the others of itself.
        refused.accept(0)
        let isGivenUp = refused.refuse(0, at: at(60_000))
        #expect(!isGivenUp)
        let isOtherGivenUp = refused.refuse(1, at: at(60_001))
        #expect(isOtherGivenUp)
    }

    @Test func `the refusals of a record that is accepted at last are forgotten`() {
        var refused = RefusedRecords()
        for number in 0..<4 { #expect(refused.refuse(7, at: at(Double(number))) == false) }
        refused.accept(8)
        refused.accept(7)
        let isGivenUp = refused.refuse(7, at: at(10))
        #expect(!isGivenUp)
        #expect(refused.deadline == at(70))
    }
}
