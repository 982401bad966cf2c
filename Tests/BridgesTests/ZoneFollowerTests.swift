import Bridges
import Chronology
import Geodesy
import Testing

/// When the time zone of the machine changes. Each step of a drawing is a minute.
@Suite struct ZoneFollowerTests {
    private static let home = "Europe/Berlin"
    private static let away = "Europe/Lisbon"

    /// A follower with what it did, beside a machine with a zone and data with zones.
    private struct Stage {
        var follower: ZoneFollower
        var machine = ZoneFollowerTests.home
        var now = Instant.zero
        var kept: String?
        var set: [String] = []
        var texts: [String] = []
        var failure: String?
        /// The zone of a position.
        var zone: (Coordinate) -> String?

        init(kept: String? = nil, zone: @escaping (Coordinate) -> String?) {
            follower = ZoneFollower(kept: kept)
            self.kept = kept
            self.zone = zone
            act()
        }

        mutating func act() {
            for action in follower.takeActions() {
                switch action {
                case .readPresent: follower.present(machine)
                case .lookUp(let points): follower.found(points.map(zone), at: now)
                case .set(let zone):
                    set.append(zone)
                    if failure == nil { machine = zone }
                    follower.setEnded(failure)
                case .keep(let zone): kept = zone
                case .state(let text): texts.append(text)
                }
                act()
            }
        }

        mutating func locate(longitude: Double, accuracy: Double = 10, isReduced: Bool = false) throws {
            let point = try #require(Coordinate(latitude: 45, longitude: longitude))
            follower.update(point, accuracy: accuracy, isReduced: isReduced)
            act()
        }

        mutating func pass(minutes: Int) {
            for _ in 0..<minutes {
                now = now + .seconds(60)
                follower.tick(at: now)
                act()
            }
        }
    }

    /// A border at a longitude of 0 degrees; at a latitude of 45 degrees, a degree has 79 km.
    private static func border(_ point: Coordinate) -> String? { point.longitude < 0 ? away : home }

    @Test func `after ten minutes far from the border the zone is set and kept, once`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        #expect(stage.kept == ZoneFollowerTests.home)
        try stage.locate(longitude: -1)
        stage.pass(minutes: 9)
        #expect(stage.set.isEmpty)
        stage.pass(minutes: 120)
        #expect(stage.set == [ZoneFollowerTests.away] && stage.kept == ZoneFollowerTests.away)
        #expect(stage.follower.deadline == nil)
        // And back.
        try stage.locate(longitude: 1)
        stage.pass(minutes: 11)
        #expect(stage.set == [ZoneFollowerTests.away, ZoneFollowerTests.home])
    }

    @Test func `nothing is set within 20 km of the border and the accuracy, or after a short visit`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        try stage.locate(longitude: -0.2)
        stage.pass(minutes: 60)
        try stage.locate(longitude: -0.3, accuracy: 4_900)
        stage.pass(minutes: 60)
        #expect(stage.set.isEmpty && stage.follower.deadline == nil)
        for _ in 0..<5 {
            try stage.locate(longitude: -1)
            stage.pass(minutes: 8)
            try stage.locate(longitude: 1)
            stage.pass(minutes: 8)
        }
        #expect(stage.set.isEmpty)
        // It is measured from the first location in the zone.
        try stage.locate(longitude: -0.2)
        stage.pass(minutes: 6)
        try stage.locate(longitude: -0.9)
        stage.pass(minutes: 5)
        #expect(stage.set == [ZoneFollowerTests.away])
    }

    @Test func `a reduced or inaccurate location changes nothing`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        try stage.locate(longitude: -1, isReduced: true)
        try stage.locate(longitude: -1, accuracy: 6_000)
        stage.pass(minutes: 30)
        try stage.locate(longitude: -1)
        try stage.locate(longitude: -1, isReduced: true)
        stage.pass(minutes: 30)
        #expect(stage.set.isEmpty)
    }

    @Test func `a zone that somebody else has set stays, also over a restart`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        stage.machine = "Asia/Tokyo"
        try stage.locate(longitude: -1)
        stage.pass(minutes: 30)
        #expect(stage.set.isEmpty && stage.follower.isOverridden && stage.texts.count == 1)
        var next = Stage(kept: stage.kept, zone: ZoneFollowerTests.border)
        #expect(!next.follower.isOverridden)
        next = Stage(kept: ZoneFollowerTests.away, zone: ZoneFollowerTests.border)
        #expect(next.follower.isOverridden && next.kept == ZoneFollowerTests.away)
        try next.locate(longitude: -1)
        next.pass(minutes: 30)
        #expect(next.set.isEmpty)
    }

    @Test func `the sea is no zone, and a coast no border`() throws {
        var stage = Stage { point in
            point.longitude < -1.5 ? "Etc/GMT" : point.longitude < -1.1 ? nil : ZoneFollowerTests.border(point)
        }
        try stage.locate(longitude: -2)
        stage.pass(minutes: 30)
        #expect(stage.set.isEmpty)
        try stage.locate(longitude: -1)
        stage.pass(minutes: 11)
        #expect(stage.set == [ZoneFollowerTests.away])
    }

    @Test func `a zone that cannot be set is named, and tried again at the next location`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        stage.failure = "not authorised"
        try stage.locate(longitude: -1)
        stage.pass(minutes: 30)
        #expect(stage.set.count == 1 && stage.kept == ZoneFollowerTests.home)
        #expect(stage.texts == ["the time zone is not set to Europe/Lisbon: not authorised"])
        stage.failure = nil
        try stage.locate(longitude: -1.01)
        stage.pass(minutes: 11)
        #expect(stage.set.count == 2 && stage.machine == ZoneFollowerTests.away)
    }
}
