import Geofencing
import TestSupport
import Testing

@testable import SQLite
@testable import StateStore

@Suite(.serialized) struct ScaleTests {
    /// The times are printed. The limits are wide, because the machine may be busy; only a defect
    /// exceeds them.
    @Test func `a hundred thousand conditions are added and read quickly`() throws {
        let scratch = try Scratch()
        let batch = (0..<100_000).map { number in
            NewCondition(
                "fence \(number)",
                FenceCondition(
                    shape: .circle(center: Samples.point(Double(number % 90), Double(number % 180)), radius: 150))
            )
        }
        let clock = ContinuousClock()
        let added = try clock.measure {
            let (store, monitor) = try Samples.store(scratch)
            #expect(try store.add(batch, to: monitor).count == batch.count)
        }
        let opened = try clock.measure { _ = try DatabaseFile(path: scratch("sextant.db")).open(at: Samples.now) }
        let (store, monitor) = try Samples.store(scratch)
        var count = 0
        let read = try clock.measure {
            count = try store.selection.unexpired(of: Samples.program, after: ConditionOrdinal(0), limit: batch.count)
                .count
        }
        var additions: [AdditionResult] = []
        let again = try clock.measure { additions = try store.add(batch, to: monitor) }
        #expect(additions.allSatisfy { $0 == .unchanged($0.id) })
        let written = try clock.measure {
            let id = try #require(try store.record(for: "fence 77777", of: monitor)).id
            _ = try store.events.append([Samples.event(id)], recorded: Samples.now)
            _ = try store.events.acknowledge([1], of: monitor)
        }
        let removed = try clock.measure {
            try store.delete(monitor)
            while try store.continueDeletion(limit: 1000).count == 1000 {}
        }
        print(
            "scale: 100,000 conditions: added and closed in \(added), opened in \(opened), read in \(read),",
            "added again in \(again),",
            "an event written and acknowledged in \(written), all removed in \(removed)")
        #expect(count == batch.count)
        #expect(read < .seconds(2))
        #expect(opened < .seconds(2))
    }
}
