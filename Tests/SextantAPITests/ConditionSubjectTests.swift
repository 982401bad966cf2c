import Chronology
import Geofencing
import Locator
import SextantAPI
import Testing

/// Conditions on visits and movements as messages.
@Suite struct ConditionSubjectTests {
    private func condition(_ change: (inout Condition) -> Void) throws(MonitorError) -> FenceCondition {
        var message = Condition(identifier: "home")
        change(&message)
        return try message.condition()
    }

    @Test func `all subjects are read and written`() throws {
        let expiry = UTCTime(rfc3339: "2027-01-01T00:00:00.000Z")
        let change = SignificantChange(distance: 1500, interval: .seconds(60))
        let beacon = try #require(BeaconIdentity("F7826DA6-4FA4-4E98-8024-BC5B71E0893E/1"))
        for subject in [ConditionSubject.visits, .significantChange(change), .beacon(beacon)] {
            let condition = FenceCondition(subject, expiry: expiry)
            #expect(try Condition(identifier: "a", condition).condition() == condition)
        }
    }

    @Test func `absent values are those of Core Location`() throws {
        let condition = try condition { $0.significantChange = ConditionSignificantChange() }
        #expect(condition.subject == .significantChange(SignificantChange(distance: 500, interval: .seconds(300))))
    }

    @Test func `invalid subjects are refused`() {
        #expect(throws: MonitorError.self) { try condition { $0.visits = false } }
        #expect(throws: MonitorError.self) {
            try condition { ($0.visits, $0.significantChange) = (true, ConditionSignificantChange()) }
        }
        #expect(throws: MonitorError.self) {
            try condition { ($0.visits, $0.circle) = (true, MonitorSamples.circle.circle) }
        }
        #expect(throws: MonitorError.self) { try condition { ($0.visits, $0.dwell) = (true, 5) } }
        #expect(throws: MonitorError.self) { try condition { ($0.visits, $0.assuming) = (true, .satisfied) } }
        for (distance, interval) in [(99.0, 0.0), (.nan, 0), (1_000_001, 0), (500, -1), (500, 86_401), (500, .nan)] {
            #expect(throws: MonitorError.self) {
                try condition {
                    $0.significantChange = ConditionSignificantChange(distance: distance, interval: interval)
                }
            }
        }
    }
}
