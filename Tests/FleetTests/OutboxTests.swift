import Chronology
import Geodesy
import TestSupport
import Testing

@testable import Fleet

/// The rules of identity, time and order.
@Suite struct OutboxTests {
    private func time(_ milliseconds: Int64) -> UTCTime { UTCTime(milliseconds: 1_800_000_000_000 + milliseconds) }

    private func expectAdmission(_ expected: Bool, _ time: UTCTime?, _ admission: inout PointAdmission) {
        let isAdmitted = admission.admits(time)
        #expect(isAdmitted == expected)
    }

    private func expectStep(_ expected: SendOrder.Step, _ step: SendOrder.Step) { #expect(step == expected) }

    @Test func `no two points have one time, and none is reported without a date`() {
        var admission = PointAdmission()
        expectAdmission(false, nil, &admission)
        expectAdmission(true, time(0), &admission)
        expectAdmission(false, time(0), &admission)
        expectAdmission(false, time(999), &admission)
        expectAdmission(true, time(1000), &admission)
        expectAdmission(false, time(500), &admission)
        expectAdmission(false, nil, &admission)
    }

    @Test func `a wrong date in the future does not end the reports`() {
        var admission = PointAdmission(after: time(86_400_000))
        expectAdmission(true, time(0), &admission)
        expectAdmission(true, time(1000), &admission)
    }

    @Test func `a packed point keeps 1 cm, 1 m, 1 cm per second and 0.01 degrees`() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<1000 {
            let coordinate = try #require(
                Coordinate(
                    latitude: .random(in: -90...90, using: &generator),
                    longitude: .random(in: -180...180, using: &generator)))
            let point = FleetPoint(
                coordinate, at: time(.random(in: 0...1_000_000, using: &generator)),
                accuracy: .random(in: 0...5000, using: &generator),
                altitude: .random(in: -400...9000, using: &generator),
                speed: .random(in: 0...300, using: &generator), course: .random(in: 0..<360, using: &generator))
            #expect(point.packed.count == FleetPoint.packedCount)
            let read = try #require(FleetPoint(packed: point.packed))
            #expect(read.coordinate.distance(to: coordinate) < 0.012)
            #expect(read.time == point.time)
            #expect(read.accuracy == Double(point.roundedAccuracy))
            #expect(abs((read.altitude ?? 0) - (point.altitude ?? 0)) <= 0.5)
            #expect(abs((read.speed ?? 0) - (point.speed ?? 0)) <= 0.0051)
            #expect(abs((read.course ?? 0) - (point.course ?? 0)) <= 0.0051)
        }
        let bare = FleetPoint(try #require(Coordinate(latitude: 0, longitude: 0)), at: time(0), accuracy: 3)
        #expect(FleetPoint(packed: bare.packed) == bare)
        #expect(FleetPoint(packed: [1, 2]) == nil)
        // An accuracy that does not fit is never stated better than it is.
        for accuracy in [nil, 65_534.5, .infinity] as [Double?] {
            var poor = bare
            poor.accuracy = accuracy
            let read = FleetPoint(packed: poor.packed)
            #expect(read?.accuracy == nil && read?.roundedAccuracy == FleetPoint.unknownAccuracy)
        }
        #expect(FleetPoint(packed: Array(repeating: 0x7F, count: 24)) == nil)
        for time in [Int64.min, -1, 253_402_300_800_000, .max] {
            var damaged = bare
            damaged.time = UTCTime(milliseconds: time)
            #expect(FleetPoint(packed: damaged.packed) == nil)
        }
    }

    @Test func `a stored event is read as it was`() throws {
        let place = try #require(Coordinate(latitude: 48.1234567, longitude: -11.5))
        let event = FleetEvent(
            .leave, of: "d\u{e9}p\u{f4}t \"1\"", in: "fleet", at: time(5), place: place, accuracy: 7.5, fenceCreated: 3)
        #expect(FleetEvent(stored: event.stored) == event)
        #expect(FleetEvent(stored: Array("{}".utf8)) == nil)
    }

    @Test func `after an outage: the newest position, then events, then the track`() {
        var order = SendOrder()
        var points = Array(Int64(1)...5)
        var events: [Int64] = [6, 7]
        var sent: [Int64] = []
        var now = Instant.zero
        while !points.isEmpty || !events.isEmpty {
            let queue = SendOrder.Queue(
                newestPoint: points.last, oldestPoint: points.first, oldestEvent: events.first)
            switch order.next(queue, pointsInFlight: 0, eventsInFlight: 0, at: now) {
            case .send(let number):
                sent.append(number)
                points.removeAll { $0 == number }
                events.removeAll { $0 == number }
            case .sendTrack: Issue.record("a batch without the option")
            case .wait(let until): now = until ?? now + .seconds(1)
            }
        }
        #expect(sent == [5, 6, 7, 1, 2, 3, 4])
        #expect(now == .zero + .milliseconds(150))
    }

    @Test func `an event waits for the messages in flight, and is sent alone`() {
        var order = SendOrder()
        let queue = SendOrder.Queue(oldestEvent: 9)
        expectStep(.wait(until: nil), order.next(queue, pointsInFlight: 1, eventsInFlight: 0, at: .zero))
        expectStep(.send(9), order.next(queue, pointsInFlight: 0, eventsInFlight: 0, at: .zero))
        let points = SendOrder.Queue(newestPoint: 10, oldestPoint: 10)
        expectStep(.wait(until: nil), order.next(points, pointsInFlight: 0, eventsInFlight: 1, at: .zero))
        expectStep(.wait(until: nil), order.next(points, pointsInFlight: 20, eventsInFlight: 0, at: .zero))
        expectStep(.send(10), order.next(points, pointsInFlight: 19, eventsInFlight: 0, at: .zero))
    }

    @Test func `the backlog of 10,000 points takes less than ten minutes`() {
        #expect((SendOrder.backlogInterval * 10_000).seconds <= 600)
    }

    @Test func `coarsening keeps the ends and the turn of a track`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        let points = (0..<60).map { second in
            let along = start.moved(by: 20 * Double(min(second, 30)), bearing: 0)
            let place = along.moved(by: 20 * Double(max(second - 30, 0)), bearing: 90)
            return (sequence: Int64(second), point: FleetPoint(place, at: time(Int64(second) * 1000), accuracy: 3))
        }
        let superfluous = TrackCoarsening.superfluous(points, tolerance: 10)
        let kept = Set(0..<60).subtracting(superfluous.map(Int.init)).sorted()
        #expect(kept == [0, 30, 59])
    }

    @Test func `attempts are spread, and a refusal waits at least a minute`() {
        var delay = RetryDelay()
        let delays = (0..<12).map { _ in delay.next(fraction: 1, isRefusal: false).seconds }
        #expect(delays.suffix(4) == [256, 300, 300, 300])
        delay.reset()
        let refusal = delay.next(fraction: 0, isRefusal: true)
        #expect(refusal.seconds == 60)
    }

    @Test func `after an outage of seconds, no device waits longer than the time over which a fleet is spread`() {
        var delay = RetryDelay(first: .seconds(30))
        let short = (0..<3).map { _ in delay.next(fraction: 0.03, isRefusal: false).seconds }
        #expect(short == [0.9, 0.9, 0.9])
        #expect(delay.next(fraction: 1, isRefusal: false).seconds == 30)
        #expect(delay.next(fraction: 1, isRefusal: false).seconds == 60)
    }

    @Test func `with batches, one position an interval is sent alone, and then those that waited`() {
        var order = SendOrder(batchInterval: .seconds(300))
        var waiting: [Int64] = []
        var sent: [[Int64]] = []
        for second in stride(from: Int64(0), through: 900, by: 60) {
            // Numbers begin at 1.
            waiting.append(second + 1)
            let now = Instant.zero + .seconds(Double(second))
            while true {
                let queue = SendOrder.Queue(
                    newestPoint: waiting.last, oldestPoint: waiting.first, newestTime: time(second * 1000))
                let step = order.next(queue, pointsInFlight: 0, eventsInFlight: 0, at: now)
                if case .wait = step { break }
                if case .send(let number) = step {
                    sent.append([number])
                    waiting.removeAll { $0 == number }
                } else {
                    sent.append(waiting)
                    waiting = []
                }
            }
        }
        #expect(
            sent == [
                [1], [301], [61, 121, 181, 241], [601], [361, 421, 481, 541], [901], [661, 721, 781, 841],
            ])
    }

    @Test func `a batch is due by the times of the positions too, and when none arrives`() {
        var order = SendOrder(batchInterval: .seconds(300))
        let first = SendOrder.Queue(newestPoint: 1, oldestPoint: 1, newestTime: time(0))
        expectStep(.send(1), order.next(first, pointsInFlight: 0, eventsInFlight: 0, at: .zero))
        expectStep(.wait(until: nil), order.next(.init(), pointsInFlight: 0, eventsInFlight: 0, at: .zero))
        let later = SendOrder.Queue(newestPoint: 2, oldestPoint: 2, newestTime: time(1000))
        let due = Instant.zero + .seconds(300)
        expectStep(.wait(until: due), order.next(later, pointsInFlight: 0, eventsInFlight: 0, at: .zero))
        expectStep(.send(2), order.next(later, pointsInFlight: 0, eventsInFlight: 0, at: due))
        let muchLater = SendOrder.Queue(newestPoint: 3, oldestPoint: 3, newestTime: time(400_000))
        expectStep(.send(3), order.next(muchLater, pointsInFlight: 0, eventsInFlight: 0, at: due))
    }

    @Test func `an event does not wait for a batch`() {
        var order = SendOrder(batchInterval: .seconds(300))
        let first = SendOrder.Queue(newestPoint: 1, oldestPoint: 1, newestTime: time(0))
        _ = order.next(first, pointsInFlight: 0, eventsInFlight: 0, at: .zero)
        let event = SendOrder.Queue(newestPoint: 2, oldestPoint: 2, oldestEvent: 3, newestTime: time(1000))
        expectStep(.send(3), order.next(event, pointsInFlight: 0, eventsInFlight: 0, at: .zero))
    }

    @Test func `a device that does not move reports every half hour, and its place when it leaves`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var filter = StationaryFilter(tolerance: 25)
        var reported: [Int64] = []
        for second in stride(from: Int64(0), through: 3660, by: 60) {
            let place = start.moved(by: second == 3660 ? 100 : Double(second % 7), bearing: 90)
            reported += filter.add(FleetPoint(place, at: time(second * 1000), accuracy: 3)).map {
                ($0.time.milliseconds - time(0).milliseconds) / 1000
            }
        }
        #expect(reported == [0, 1800, 3600, 3660])
        let held = FleetPoint(start.moved(by: 101, bearing: 90), at: time(3_700_000), accuracy: 3)
        #expect(filter.add(held).isEmpty)
        let taken = (filter.takeHeld(), filter.takeHeld())
        #expect(taken.0 == held && taken.1 == nil)
    }

    @Test func `a move of more than half the tolerance is reported at once`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var filter = StationaryFilter(tolerance: 25)
        let places = [0.0, 12, 13, 26].map { start.moved(by: $0, bearing: 90) }
        let counts = places.enumerated().map { second, place in
            filter.add(FleetPoint(place, at: time(Int64(second) * 1000), accuracy: 3)).count
        }
        // The place before the move is reported with it.
        #expect(counts == [1, 0, 2, 1])
    }

    @Test func `a server may send ten commands at once, and ten a minute`() {
        var limit = CommandLimit()
        func allowed(_ count: Int, at seconds: Double) -> Int {
            var allowed = 0
            for _ in 0..<count where limit.allows(at: .zero + .seconds(seconds)) { allowed += 1 }
            return allowed
        }
        #expect(allowed(100, at: 100) == 10)
        #expect(allowed(100, at: 105) == 0)
        #expect(allowed(100, at: 118.1) == 3)
        #expect(allowed(100, at: 1000) == 10)
    }

    @Test func `without a tolerance every position is reported`() throws {
        let start = try #require(Coordinate(latitude: 48, longitude: 11))
        var filter = StationaryFilter(tolerance: 0)
        for second in 0..<5 {
            let added = filter.add(FleetPoint(start, at: time(Int64(second) * 1000), accuracy: 3))
            #expect(added.count == 1)
        }
    }
}
