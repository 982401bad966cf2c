import Chronology
import Geodesy
import Locator
import Positioning
import Testing

/// A fixed place as the source of the location.
@Suite struct StationTests {
    private static let time = UTCTime(rfc3339: "2026-11-21T12:00:00Z")

    /// A core with a fixed place some metres north of where the receivers of ``Stage`` are.
    private func fixed(metresNorth: Double = 0, receiver: Bool = false) -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        if let place = FenceTests.start?.moved(by: metresNorth, bearing: 0) {
            let station = Station(name: "roof", coordinate: place, horizontalAccuracy: 2, altitude: 499)
            stage.locator.setStation(station, clock: Self.time, at: stage.now)
        }
        if receiver { stage.attach(1) }
        return stage
    }

    @Test func `a stream gets the place at once without a receiver, and then costs no wakeup`() throws {
        var stage = fixed()
        stage.subscribe(1, configuration: .fitness)
        let fixes = stage.effects.compactMap { effect -> Fix? in
            if case .request(.publish(let update, _)) = effect { update.location?.fix } else { nil }
        }
        let fix = try #require(fixes.first)
        #expect(fix.coordinate == FenceTests.start && fix.horizontalAccuracy == 2 && fix.accuracySource == .configured)
        #expect(fix.quality == .manual && fix.mode == .threeD && fix.time == Self.time && fix.speed == 0)
        #expect(abs(try #require(fix.ellipsoidalAltitude) - 547) < 3)
        #expect(stage.takeKinds(1) == ["rest"])
        stage.wait(1)
        #expect(stage.locator.deadline() == nil)
        stage.locator.cancel([RequestID(1)])
        stage.wait(1)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func `a stream that does not pause gets the present place every 5 s`() {
        var stage = fixed()
        stage.subscribe(1, options: StreamOptions(pausesWhenStationary: false))
        stage.subscribe(2, options: StreamOptions(minimumInterval: .seconds(20), pausesWhenStationary: false))
        stage.subscribe(3, options: StreamOptions(distanceFilter: 10, pausesWhenStationary: false))
        stage.subscribe(4, options: StreamOptions(isSignificantChange: true))
        stage.wait(61)
        #expect(stage.times(1) == (0...12).map { Double($0 * 5) })
        #expect(stage.times(2) == [0, 20, 40, 60])
        #expect(stage.times(3) == [0] && stage.times(4) == [0])
    }

    @Test func `a request is answered at once, and one for the time by a receiver`() {
        var stage = fixed()
        stage.locate(1, maximumAge: 0)
        #expect(stage.answers(1) == ["roof"] && stage.ages(1) == [0])
        stage.locate(2, timesBurst: true)
        #expect(stage.answers(2) == ["roof"], "without a receiver")
        stage.attach(1)
        stage.locate(3, timesBurst: true)
        stage.locate(4, receiver: "tty1")
        stage.fix(1, second: 0, burstStart: stage.now)
        stage.wait(1)
        stage.fix(1, second: 1, burstStart: stage.now)
        stage.wait(1)
        #expect(stage.answers(3) == ["tty1"] && stage.answers(4) == ["tty1"])
    }

    @Test func `receivers serve only who names them, and nobody else keeps them on`() throws {
        var stage = fixed(receiver: true)
        stage.subscribe(1, configuration: .fitness)
        stage.subscribe(2, configuration: .fitness, receiver: "tty1")
        stage.fixes(1, from: 0, seconds: 5)
        #expect(stage.takeUpdates(1) == ["roof"])
        #expect(stage.takeUpdates(2) == ["starting"] + Array(repeating: "tty1", count: 5))
        #expect(stage.locator.requests.demands.map(\.id) == [RequestID(2)])
        stage.locator.cancel([RequestID(2)])
        stage.fixes(1, from: 5, seconds: 400)
        let longest = stage.plans(1).map { plan -> Instant.Span in
            if case .sleep(let until) = plan { until - stage.now } else { .zero }
        }.max()
        #expect(try #require(longest) > .seconds(10_000))
        #expect(stage.locator.reports(at: stage.now).map(\.isPrimary) == [true], "corrections go to it")
        stage.set(.absent("unplugged", lost: true), of: 1)
        #expect(stage.takeUpdates(1) == [])
    }

    @Test func `fences are evaluated once, and without a demand`() {
        var stage = fixed(receiver: true)
        stage.fence(1, metres: 0)
        stage.fence(2, metres: 5000)
        stage.wait(1)
        #expect(stage.crossings == ["1 determined satisfied", "2 determined unsatisfied"])
        stage.clearEffects()
        stage.wait(1)
        stage.fence(3, metres: 0)
        stage.wait(10)
        #expect(stage.crossings == ["3 determined satisfied"])
        stage.detach(1)
        #expect(stage.locator.deadline() == nil)
    }

    @Test func `another place crosses fences, and without a place receivers continue`() throws {
        var stage = fixed()
        stage.subscribe(1, configuration: .fitness)
        stage.fence(1, metres: 0)
        stage.wait(1)
        stage.clearEffects()
        let far = try #require(FenceTests.start?.moved(by: 20_000, bearing: 90))
        stage.locator.setStation(
            Station(name: "yard", coordinate: far, horizontalAccuracy: 3), clock: nil, at: stage.now)
        stage.wait(400)
        #expect(stage.takeUpdates(1) == ["yard"])
        #expect(stage.crossings == ["1 left unsatisfied"])
        stage.locator.setStation(nil, clock: nil, at: stage.now)
        stage.attach(1)
        stage.fixes(1, from: 600, seconds: 5)
        #expect(stage.takeUpdates(1) == ["noReceiver", "starting"] + Array(repeating: "tty1", count: 5))
        #expect(stage.locator.fixedPlace == nil)
    }

    @Test(arguments: [(0.0, StationVerdict.agrees, StationVerdict.agrees), (40.0, .unchecked, .moved)])
    func `a receiver checks the place, and measurements of an hour are needed to find it moved`(
        metres: Double, first: StationVerdict, second: StationVerdict
    ) throws {
        var stage = fixed(metresNorth: metres, receiver: true)
        stage.fixes(1, from: 0, seconds: 170)
        #expect(stage.locator.fixedPlace?.check.verdict == .unchecked)
        stage.fixes(1, from: 170, seconds: 20)
        #expect(stage.locator.fixedPlace?.check.verdict == first)
        stage.fixes(1, from: 190, seconds: 3500)
        #expect(stage.locator.fixedPlace?.check.verdict == first)
        stage.fixes(1, from: 3690, seconds: 370)
        let check = try #require(stage.locator.fixedPlace?.check)
        let last = try #require(check.last)
        #expect(check.verdict == second && last.receiver == "tty1")
        #expect(abs(last.distance - metres) < 0.1)
    }

    @Test func `a warning ends only below half of the distance, and an agreement after 12 h`() throws {
        let place = try #require(FenceTests.start)
        var check = StationCheck(of: Station(coordinate: place, horizontalAccuracy: 1))
        var now = Instant.zero
        func measure(_ metres: Double, seconds: Int) {
            for _ in 0..<seconds {
                now = now + .seconds(1)
                var fix = Fix(mode: .threeD, quality: .autonomous)
                (fix.coordinate, fix.horizontalAccuracy) = (place.moved(by: metres, bearing: 90), 2)
                check.process(fix, from: "gps", at: now)
            }
        }
        // Reflections of some minutes, again and again.
        for _ in 0..<20 {
            measure(30, seconds: 1200)
            measure(8, seconds: 400)
        }
        #expect(check.verdict == .agrees)
        #expect(check.verdict(at: now + .seconds(11 * 3600)) == .agrees)
        #expect(check.verdict(at: now + .seconds(13 * 3600)) == .unchecked)
        measure(30, seconds: 4200)
        #expect(check.verdict == .moved && check.verdict(at: now + .seconds(13 * 3600)) == .moved)
        measure(8, seconds: 400)
        #expect(check.verdict == .moved)
        measure(2, seconds: 400)
        #expect(check.verdict == .agrees)
    }

    @Test func `another place ends the visit and begins one, and so does forgetting`() throws {
        var stage = fixed()
        #expect(stage.locator.watchVisits(RequestID(1), at: stage.now) == nil)
        stage.wait(400)
        #expect(stage.visits == ["arrived"])
        stage.clearEffects()
        let far = try #require(FenceTests.start?.moved(by: 20_000, bearing: 90))
        stage.locator.setStation(Station(coordinate: far, horizontalAccuracy: 3), clock: Self.time, at: stage.now)
        stage.wait(400)
        #expect(stage.visits == ["departed", "arrived"])
        #expect(try #require(stage.locator.currentVisit(at: stage.now)).coordinate.distance(to: far) < 1)
        stage.clearEffects()
        #expect(stage.locator.forgetPositions(at: stage.now).visits == 1)
        stage.wait(400)
        #expect(stage.visits == ["arrived"])
    }

    @Test func `a refresh of ephemerides goes on, and is long enough for a check`() throws {
        var stage = fixed(receiver: true)
        stage.locator.setEphemerisRefreshInterval(.seconds(1800), of: ReceiverID(1))
        stage.fixes(1, from: 0, seconds: 400)
        let longest = stage.plans(1).map { plan -> Instant.Span in
            if case .sleep(let until) = plan { until - stage.now } else { .zero }
        }.max()
        #expect((Instant.Span.seconds(600)...Instant.Span.seconds(1800)).contains(try #require(longest)))
        #expect(stage.locator.fixedPlace?.check.verdict == .agrees)
    }

    @Test func `the place is not checked while the location is off`() throws {
        var stage = fixed(receiver: true)
        stage.locator.setEphemerisRefreshInterval(nil, of: ReceiverID(1))
        stage.locator.fixedPlace?.isChecked = false
        stage.fixes(1, from: 0, seconds: 400)
        #expect(stage.locator.fixedPlace?.check.verdict == .unchecked)
        #expect(stage.plans(1).last == .sleepIndefinitely)
        stage.locator.fixedPlace?.isChecked = true
        stage.wait(1)
        #expect(stage.plans(1).last != .sleepIndefinitely)
    }

    @Test func `fixes after a pause, of another receiver or of a bad sky begin a measurement again`() {
        var stage = fixed(metresNorth: 500, receiver: true)
        for round in 0..<10 {
            stage.fixes(1, from: round * 200, seconds: 100)
            stage.wait(100)
        }
        stage.fixes(1, from: 2000, seconds: 400, hdop: 40)
        #expect(stage.locator.fixedPlace?.check.verdict == .unchecked && stage.locator.fixedPlace?.check.last == nil)
    }
}

extension Stage {
    /// The visits that began or ended since the last call to ``clearEffects()``.
    fileprivate var visits: [String] {
        effects.compactMap { effect in
            guard case .visit(let visit?, _) = effect else { return nil }
            return visit.departure == nil ? "arrived" : "departed"
        }
    }
}
