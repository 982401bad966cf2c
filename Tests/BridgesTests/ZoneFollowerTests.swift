import Bridges
import Chronology
import Geodesy
import SextantAPI
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
        var kept: [String]
        var set: [String] = []
        var texts: [String] = []
        /// Whether the lookups, and the attempts to set the zone, fail.
        var lookUpFails = false
        var setFails = false
        var zone: (Coordinate) -> String?

        init(kept: [String] = [], machine: String = home, zone: @escaping (Coordinate) -> String?) {
            self.machine = machine
            follower = ZoneFollower(kept: kept)
            self.kept = kept
            self.zone = zone
            act()
        }

        mutating func act() {
            for action in follower.takeActions() {
                switch action {
                case .readPresent: follower.present(machine)
                case .lookUp where lookUpFails: follower.failed(at: now)
                case .lookUp(let points): follower.found(points.map(zone), at: now)
                case .set(let zone):
                    set.append(zone)
                    guard !setFails else {
                        follower.failed(at: now)
                        continue
                    }
                    machine = zone
                    follower.wasSet()
                case .keep(let zone): kept = zone
                case .reportSet(let zone), .reportOverride(let zone): texts.append(zone)
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
        #expect(stage.kept == [ZoneFollowerTests.home])
        try stage.locate(longitude: -1)
        stage.pass(minutes: 9)
        #expect(stage.set.isEmpty)
        stage.pass(minutes: 120)
        #expect(stage.set == [ZoneFollowerTests.away] && stage.kept == [ZoneFollowerTests.away])
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
        // After a restart it is noticed when another zone is due.
        var next = Stage(kept: stage.kept, machine: "Asia/Tokyo", zone: ZoneFollowerTests.border)
        try next.locate(longitude: -1)
        next.pass(minutes: 30)
        #expect(next.set.isEmpty && next.follower.isOverridden && next.kept == [ZoneFollowerTests.home])
    }

    @Test func `the zone of the place is followed, whoever has set it`() throws {
        // The owner set it while the bridge did not run, and the machine had a power cut after
        // timedated had set the zone.
        for kept in [[ZoneFollowerTests.home], [ZoneFollowerTests.home, ZoneFollowerTests.away]] {
            var stage = Stage(kept: kept, machine: ZoneFollowerTests.away, zone: ZoneFollowerTests.border)
            try stage.locate(longitude: -1)
            stage.pass(minutes: 11)
            #expect(stage.set.isEmpty && stage.kept == [ZoneFollowerTests.away] && !stage.follower.isOverridden)
            try stage.locate(longitude: 1)
            stage.pass(minutes: 11)
            #expect(stage.set == [ZoneFollowerTests.home])
        }
        // It left the place before the survey.
        for zone in [ZoneFollowerTests.home, "Africa/Tunis"] {
            let both = [ZoneFollowerTests.home, ZoneFollowerTests.away]
            var stage = Stage(kept: both, machine: ZoneFollowerTests.away) { _ in zone }
            try stage.locate(longitude: 1)
            stage.pass(minutes: 11)
            #expect(stage.set == [zone] && stage.kept == [zone])
        }
    }

    @Test func `a denial, the location switch and a reduced location stop a pending change`() throws {
        for flag in [PermissionFlags.accuracyLimited, .authorizationDenied, .authorizationDeniedGlobally] {
            var stage = Stage(zone: ZoneFollowerTests.border)
            try stage.locate(longitude: -1)
            stage.follower.update(SubscribeReply(sequence: 2, dropped: 0, permission: flag))
            stage.pass(minutes: 30)
            #expect(stage.set.isEmpty && stage.follower.deadline == nil)
        }
    }

    @Test func `a lookup that fails, or that another location ends, is repeated without one`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        stage.lookUpFails = true
        try stage.locate(longitude: -1)
        stage.pass(minutes: 5)
        stage.lookUpFails = false
        stage.pass(minutes: 3)
        stage.lookUpFails = true
        stage.pass(minutes: 15)
        stage.lookUpFails = false
        #expect(stage.set.isEmpty)
        stage.pass(minutes: 16)
        #expect(stage.set == [ZoneFollowerTests.away])
        // A location during the survey.
        stage = Stage(zone: ZoneFollowerTests.border)
        try stage.locate(longitude: -1)
        stage.now = stage.now + .seconds(600)
        stage.follower.tick(at: stage.now)
        #expect(stage.follower.takeActions().count == 1)
        try stage.locate(longitude: -1.01)
        stage.pass(minutes: 1)
        #expect(stage.set == [ZoneFollowerTests.away])
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

    @Test func `a zone that cannot be set is tried again, ever less often`() throws {
        var stage = Stage(zone: ZoneFollowerTests.border)
        stage.setFails = true
        try stage.locate(longitude: -1)
        stage.pass(minutes: 600)
        #expect((10...16).contains(stage.set.count) && stage.texts.isEmpty)
        // The machine may have either zone now.
        #expect(stage.kept == [ZoneFollowerTests.home, ZoneFollowerTests.away])
        stage.setFails = false
        stage.pass(minutes: 61)
        #expect(stage.machine == ZoneFollowerTests.away && stage.texts == [ZoneFollowerTests.away])
        #expect(stage.follower.deadline == nil)
    }
}
