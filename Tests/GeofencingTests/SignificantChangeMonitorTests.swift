import Chronology
import Geodesy
import Geofencing
import Positioning
import Testing

@Suite struct SignificantChangeMonitorTests {
    private static let id = ConditionID(7)
    private static let start = UTCTime(milliseconds: 1_795_000_000_000)

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    private func date(_ seconds: Double) -> UTCTime {
        SignificantChangeMonitorTests.start.advanced(by: .seconds(seconds))
    }

    private func fix(at seconds: Double, north degrees: Double = 0, radius: Double = 5) throws -> Fix {
        var fix = Fix(mode: .threeD, quality: .autonomous)
        let coordinate = Coordinate(latitude: 47 + degrees, longitude: 8)
        fix.coordinate = try #require(coordinate)
        fix.horizontalAccuracy = radius
        fix.time = date(seconds)
        return fix
    }

    private func monitor(
        distance: Double = 100, interval: Double = 0, expiry: UTCTime? = nil, place: ConditionPlace? = nil
    ) -> SignificantChangeMonitor {
        let change = SignificantChange(distance: distance, interval: .seconds(interval))
        let snapshot = place.map { _ in ConditionSnapshot(state: .satisfied) }
        var monitor = SignificantChangeMonitor()
        monitor.add(
            GeofenceEngine.Entry(
                id: SignificantChangeMonitorTests.id,
                condition: FenceCondition(.significantChange(change), expiry: expiry),
                snapshot: snapshot, place: place), change, at: .zero)
        return monitor
    }

    @Test func `a condition that has no place yet expires, and needs no position any more`() throws {
        var monitor = monitor(expiry: date(60))
        var events: [ConditionEvent] = []
        for second in stride(from: 0.0, to: 100, by: 10) {
            monitor.process(try fix(at: second, radius: 150), at: at(second), into: &events)
        }
        #expect(events.map(\.kind) == [.expired] && events.first?.date == date(60))
        #expect(monitor.distanceToNextEvaluation == nil && !monitor.needsConsecutiveFixes(at: at(100)))
    }

    @Test func `a condition expires during its interval`() throws {
        var monitor = monitor(interval: 3600, expiry: date(60))
        var events: [ConditionEvent] = []
        for second in stride(from: 0.0, to: 120, by: 10) {
            monitor.process(try fix(at: second), at: at(second), into: &events)
        }
        #expect(events.map(\.kind) == [.determined, .expired])
        #expect(monitor.deadline == nil)
    }

    /// The last event was 100 s before the start; the device has moved since.
    @Test func `the interval since an event of an earlier run is kept`() throws {
        let place = ConditionPlace(
            coordinate: try #require(Coordinate(latitude: 46, longitude: 8)), radius: 5, date: date(-100))
        var monitor = monitor(interval: 300, place: place)
        var events: [ConditionEvent] = []
        for second in stride(from: 0.0, to: 190, by: 1) {
            monitor.process(try fix(at: second), at: at(second), into: &events)
        }
        #expect(events.isEmpty && monitor.deadline == at(200))
        for second in stride(from: 190.0, to: 300, by: 1) {
            monitor.process(try fix(at: second), at: at(second), into: &events)
        }
        #expect(events.map(\.kind) == [.moved])
    }
}
