import Chronology
import Geodesy
import Positioning
import Testing

@testable import Locator

private func fix(_ second: Double, east: Double = 0, radius: Double = 4, speed: Double? = nil) -> Fix {
    var fix = Fix(mode: .threeD, quality: .autonomous)
    fix.time = UTCTime(milliseconds: 1_800_000_000_000 + Int64(second * 1000))
    fix.coordinate = Coordinate(latitude: 47, longitude: 8 + east / 75_991)
    (fix.horizontalAccuracy, fix.speed) = (radius, speed)
    return fix
}

private func at(_ second: Double) -> Instant { .zero + .seconds(second) }

@Suite struct DesiredAccuracyTests {
    @Test(arguments: [
        (DesiredAccuracy.best, 1.0), (.hundredMetres, 10), (.kilometre, 60), (.threeKilometres, 300), (.reduced, 900),
    ])
    func `lower desired accuracy means fewer updates`(accuracy: DesiredAccuracy, seconds: Double) {
        let options = StreamOptions(desiredAccuracy: accuracy)
        #expect(options.interval(for: .fitness) == .seconds(seconds))
        var filter = StreamFilter(configuration: .fitness, options: options)
        let reached = (0...1800).filter { filter.admits(fix(Double($0)), at: at(Double($0))) }
        #expect(reached.count == Int(1800 / seconds) + 1)
    }

    /// An option makes a stream slower, never faster.
    @Test func `the longest requested interval applies`() {
        #expect(StreamOptions(minimumInterval: .seconds(0.1)).interval(for: .default) == .seconds(5))
        #expect(StreamOptions(minimumInterval: .seconds(30)).interval(for: .default) == .seconds(30))
        #expect(
            StreamOptions(desiredAccuracy: .hundredMetres, minimumInterval: .seconds(30)).interval(for: .fitness)
                == .seconds(30))
        #expect(StreamOptions().interval(for: .automotiveNavigation) == .milliseconds(200))
    }

    /// A track does not need to know within a minute that the device has departed.
    @Test func `a stream with a tolerance has the longer checks at rest`() {
        #expect(StreamOptions().demand(.otherNavigation)?.stationaryCheckInterval == .navigation)
        #expect(StreamOptions(tolerance: 25).demand(.otherNavigation)?.stationaryCheckInterval == .standard)
        #expect(
            StreamOptions(pausesWhenStationary: false, tolerance: 25).demand(.otherNavigation)?.stationaryCheckInterval
                == nil)
    }
}

@Suite struct DistanceFilterTests {
    private func reached(distance: Double?, fixes: [Fix]) -> [Bool] {
        var filter = StreamFilter(configuration: .fitness, options: StreamOptions(distanceFilter: distance))
        return fixes.enumerated().map { filter.admits($1, at: at(Double($0))) }
    }

    @Test func `the distance filter passes only fixes that have moved`() {
        let walk = (0..<40).map { fix(Double($0), east: 1.4 * Double($0), speed: 1.4) }
        #expect(reached(distance: 15, fixes: walk).enumerated().filter(\.element).map(\.offset) == [0, 11, 22, 33])
        #expect(reached(distance: nil, fixes: walk).allSatisfy { $0 })
    }

    /// A receiver at rest can wander 9 m between fixes with an accuracy of 4 m each.
    @Test func `position noise does not pass the distance filter`() {
        #expect(reached(distance: 5, fixes: [fix(0), fix(1, east: 9), fix(2, east: 12)]) == [true, false, true])
        #expect(reached(distance: 5, fixes: [fix(0), fix(1, east: 9, speed: 1.5)]) == [true, true])
        #expect(reached(distance: 5, fixes: [fix(0), fix(1, east: 9, speed: 0.1)]) == [true, false])
    }

    @Test(arguments: [0.0, -1, .nan, .infinity])
    func `an invalid distance filter has no effect`(distance: Double) {
        #expect(reached(distance: distance, fixes: [fix(0), fix(1), fix(2)]) == [true, true, true])
    }

    /// The first fix after an outage is delivered regardless of its position.
    @Test func `the first fix after an outage passes the distance filter`() {
        var filter = StreamFilter(configuration: .fitness, options: StreamOptions(distanceFilter: 100))
        #expect(filter.admits(fix(0), at: at(0)) == true)
        #expect(filter.admits(fix(1), at: at(1)) == false)
        #expect(filter.admits(Unavailability(.noFix, detail: "no sky")) == true)
        #expect(filter.admits(fix(2), at: at(2)) == true)
    }
}

@Suite struct StationaryPauseTests {
    private let place = StationaryPlace(
        coordinate: [Coordinate(latitude: 47, longitude: 8)].compactMap(\.self)[0], horizontalAccuracy: 2.5,
        since: .zero)

    @Test func `a stationary stream pauses and resumes with the next fix`() {
        var filter = StreamFilter(
            configuration: .default, options: StreamOptions(distanceFilter: 50, pausesWhenStationary: true))
        #expect(filter.admits(fix(0), at: at(0)) == true)
        #expect(filter.process(.becameStationary(place)) == .pause(place))
        #expect(filter.isPaused)
        #expect((1..<600).allSatisfy { !filter.wouldAdmit(fix(Double($0)), at: at(Double($0))) })
        #expect(filter.process(.becameMoving(since: at(600))) == .resume)
        #expect(filter.admits(fix(600), at: at(600)) == true)
        #expect(filter.admits(fix(601), at: at(601)) == false)
    }

    /// A retracted movement is a rest again and is published as one.
    @Test func `a retracted movement pauses the stream again`() {
        var pause = StationaryPause()
        #expect(pause.process(.becameMoving(since: .zero)) == nil)
        #expect(pause.process(.becameStationary(place)) == .pause(place))
        #expect(pause.process(.becameMoving(since: .zero)) == .resume)
        #expect(pause.process(.retracted(place)) == .pause(place))
        #expect(pause.process(.becameUnknown(since: .zero)) == .resume)
    }

    /// As in Core Location's live updates.
    @Test(arguments: Configuration.allCases)
    func `every configuration pauses by default`(configuration: Configuration) {
        var filter = StreamFilter(configuration: configuration)
        #expect(filter.process(.becameStationary(place)) == .pause(place))
    }

    @Test func `a stream without pauses receives every fix`() {
        var filter = StreamFilter(configuration: .fitness, options: StreamOptions(pausesWhenStationary: false))
        #expect(filter.process(.becameStationary(place)) == nil)
        #expect(filter.admits(fix(0), at: at(0)) == true)
        #expect(filter.admits(fix(1), at: at(1)) == true)
    }

    /// The receiver of a paused stream sleeps, so a missing fix is expected. An unplugged receiver
    /// is reported.
    @Test(arguments: Cause.allCases)
    func `a paused stream drops causes that a sleeping receiver explains`(cause: Cause) {
        var filter = StreamFilter(configuration: .fitness, options: StreamOptions(pausesWhenStationary: true))
        _ = filter.process(.becameStationary(place))
        let isKept = [.noFix, .receiverSilent, .starting].contains(cause)
        let isPublished = filter.admits(Unavailability(cause, detail: ""))
        #expect(isPublished == !isKept)
        #expect(filter.wouldAdmit(fix(1), at: at(1)) == false)
        #expect(filter.takeRecovery() == isPublished)
        #expect(filter.takeRecovery() == false)
    }

    @Test func `a stationary update has the averaged position`() {
        var moving = fix(0, east: 7, speed: 0.2)
        moving.course = 90
        let resting = ReceiverFix(fix: moving, receiver: "gps0").stationary(at: place)
        #expect(resting.fix.coordinate == place.coordinate && resting.fix.horizontalAccuracy == 2.5)
        #expect(resting.fix.speed == 0 && resting.fix.course == nil && resting.receiver == "gps0")
    }

    @Test func `each configuration has its stationary threshold`() {
        let expected: [StationaryThreshold] = [.any, .automotive, .pedestrian, .pedestrian, .airborne]
        #expect(Configuration.allCases.map(\.threshold) == expected)
    }
}

@Suite struct UpdateBatchTests {
    private func update(_ second: Double) -> Update {
        Update(location: ReceiverFix(fix: fix(second), receiver: "gps0"))
    }

    @Test func `a batch is delivered when its oldest update reaches the delay`() throws {
        var batch = try #require(UpdateBatch(.seconds(10)))
        #expect(batch.deadline == nil)
        for second in 0..<10 { #expect(batch.add(update(Double(second)), at: at(Double(second))).count == 0) }
        #expect(batch.deadline == at(10))
        #expect(batch.tick(at: at(9)).count == 0)
        #expect(batch.tick(at: at(10)).map { $0.location?.fix.time } == (0..<10).map { fix(Double($0)).time })
        #expect(batch.deadline == nil && batch.count == 0)
    }

    @Test func `a delivered location has its age, that before the batch included`() throws {
        var batch = try #require(UpdateBatch(.seconds(10)))
        var old = update(0)
        old.location?.age = .seconds(2)
        _ = batch.add(old, at: at(0))
        _ = batch.add(update(4), at: at(4))
        #expect(batch.tick(at: at(11)).map { $0.location?.age } == [.seconds(13), .seconds(7)])
    }

    /// An update after the deadline is delivered with the pending ones.
    @Test func `an update after the deadline joins the due batch`() throws {
        var batch = try #require(UpdateBatch(.seconds(10)))
        #expect(batch.add(update(0), at: at(0)).count == 0)
        #expect(batch.add(update(12), at: at(12)).count == 2)
    }

    @Test func `urgent updates flush the batch`() throws {
        var batch = try #require(UpdateBatch(.seconds(10)))
        _ = batch.add(update(0), at: at(0))
        #expect(batch.add(Update(unavailability: Unavailability(.receiverLost, detail: "")), at: at(1)).count == 2)
        _ = batch.add(update(2), at: at(2))
        var rest = update(3)
        rest.stationary = true
        #expect(batch.add(rest, at: at(3)).map(\.stationary) == [false, true])
    }

    @Test func `a full batch is delivered early and complete`() throws {
        var batch = try #require(UpdateBatch(.seconds(1e6)))
        let counts = (0..<1100).map { batch.add(update(Double($0)), at: at(Double($0))).count }
        #expect(counts.filter { $0 > 0 } == [UpdateBatch.maxCount, UpdateBatch.maxCount])
        #expect(batch.flush(at: .zero).count == 1100 - 2 * UpdateBatch.maxCount)
    }

    @Test func `a missing or zero delay makes no batch`() {
        #expect(UpdateBatch(nil)?.count == nil)
        #expect(UpdateBatch(.zero)?.count == nil)
    }
}
