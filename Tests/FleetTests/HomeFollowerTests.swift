import Chronology
import Geodesy
import Testing
import Varlink

@testable import Fleet

/// When the home location of Home Assistant follows the device.
@Suite struct HomeFollowerTests {
    /// A follower with what was sent and done, and a way to the north. A step is a minute.
    private struct Stage {
        var follower = HomeFollower()
        var minute = 0
        var sequence: Int64 = 0
        var sent: [Double] = []
        var done: [Int64] = []
        var isAccepted = true

        var now: Instant { .zero + .seconds(Double(minute) * 60) }

        mutating func report(metres: Double, accuracy: Double? = 5, minute: Int? = nil) throws {
            sequence += 1
            let start = try #require(Coordinate(latitude: 45, longitude: 0))
            let point = FleetPoint(
                start.moved(by: metres, bearing: 0),
                at: UTCTime(milliseconds: Int64(minute ?? self.minute) * 60_000 + sequence), accuracy: accuracy)
            done += follower.add(FleetRecord(sequence, .point(point)), at: now)
        }

        mutating func pass(minutes: Int) throws {
            for _ in 0..<minutes {
                minute += 1
                guard let (_, point) = follower.due(at: now) else { continue }
                let start = try #require(Coordinate(latitude: 45, longitude: 0))
                sent.append(start.distance(to: point.coordinate).rounded())
                #expect(follower.due(at: now) == nil && follower.deadline == nil)
                follower.finish(isAccepted: isAccepted)
            }
        }
    }

    @Test func `home is set after a rest of ten minutes, 500 m from the last one`() throws {
        var stage = Stage()
        try stage.report(metres: 0)
        try stage.pass(minutes: 9)
        #expect(stage.sent.isEmpty)
        try stage.pass(minutes: 100)
        #expect(stage.sent == [0] && stage.follower.deadline == nil)
        for metres in stride(from: 1_000.0, through: 20_000, by: 1_000) {
            try stage.report(metres: metres)
            try stage.pass(minutes: 1)
        }
        #expect(stage.sent == [0])
        try stage.report(metres: 20_100)
        try stage.pass(minutes: 10)
        #expect(stage.sent == [0, 20_100])
        // Each position but those that were sent is done with.
        #expect(stage.done == Array(2...21))
        try stage.report(metres: 20_500)
        try stage.pass(minutes: 60)
        #expect(stage.sent == [0, 20_100] && stage.done.last == 23)
    }

    @Test func `old, inaccurate and reduced positions, and events, are not used`() throws {
        var stage = Stage()
        stage.minute = 100
        try stage.report(metres: 0)
        try stage.report(metres: 5_000, minute: 50)
        try stage.report(metres: 5_000, accuracy: 201)
        try stage.report(metres: 5_000, accuracy: nil)
        #expect(stage.done == [2, 3, 4])
        try stage.pass(minutes: 30)
        #expect(stage.sent == [0])
        // Neither is an old one when nothing newer waits.
        try stage.report(metres: 5_000, minute: 60)
        try stage.pass(minutes: 30)
        #expect(stage.sent == [0])
    }

    @Test func `a position that is not accepted is sent again when the outbox repeats it`() throws {
        var stage = Stage()
        stage.isAccepted = false
        try stage.report(metres: 0)
        try stage.pass(minutes: 12)
        #expect(stage.sent == [0] && stage.follower.deadline == nil)
        stage.isAccepted = true
        try stage.report(metres: 0)
        try stage.pass(minutes: 1)
        #expect(stage.sent == [0, 0])
    }

    @Test func `the destination has Home Assistant's path, port and body`() throws {
        let plain = try Destination("homeassistant+http://127.0.0.1")
        #expect(plain.isHome && !plain.isEncrypted && !plain.isTraccar)
        #expect(plain.httpURL() == "http://127.0.0.1:8123/api/services/homeassistant/set_location")
        let encrypted = try Destination("homeassistant+https://home.example")
        #expect(encrypted.isEncrypted && encrypted.port == 443)
        let point = FleetPoint(
            try #require(Coordinate(latitude: 45.5, longitude: -1.25)), at: UTCTime(milliseconds: 0), accuracy: 5,
            altitude: 98.6)
        #expect(HomeFollower.body(point) == ["latitude": 45.5, "longitude": -1.25, "elevation": 99])
    }
}
