import Chronology
import Geodesy
import Locator
import Positioning
import Testing

@testable import Locator

/// Streams with a tolerance.
@Suite struct StreamTrackTests {
    private let start = Coordinate(latitude: 48, longitude: 11)

    /// Returns the update at a second of a drive to the north.
    private func update(_ second: Int, hasDate: Bool = true) throws -> Update {
        let start = try #require(start)
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.coordinate = start.moved(by: 20 * Double(second), bearing: 0)
        if hasDate { fix.time = UTCTime(milliseconds: Int64(second) * 1000) }
        return Update(location: ReceiverFix(fix: fix, receiver: "gps"))
    }

    private func instant(_ second: Int) -> Instant { .zero + .seconds(Double(second)) }

    @Test func `a missing position publishes the held one first`() throws {
        var track = try #require(StreamTrack(25))
        #expect(try track.add(update(0), at: instant(0)).count == 1)
        for second in 1...5 { #expect(try track.add(update(second), at: instant(second)).isEmpty) }
        let unavailable = Update(unavailability: Unavailability(.noFix, detail: "no fix"))
        let published = track.add(unavailable, at: instant(8))
        #expect(published.map { $0.location?.fix.time?.milliseconds } == [5000, nil])
        #expect(published.first?.location?.age == .seconds(3))
        #expect(try track.add(update(9), at: instant(9)).count == 1)
    }

    @Test func `rest and departure are published at once, after the held position`() throws {
        var track = try #require(StreamTrack(25))
        for second in 0...5 { _ = try track.add(update(second), at: instant(second)) }
        var resting = try update(5)
        resting.stationary = true
        #expect(track.add(resting, at: instant(6)).map(\.stationary) == [false, true])
        var departed = try update(7)
        departed.hasDeparted = true
        #expect(track.add(departed, at: instant(7)).map(\.hasDeparted) == [true])
        #expect(try track.add(update(8), at: instant(8)).isEmpty)
    }

    @Test func `a position without a date is published at once`() throws {
        var track = try #require(StreamTrack(25))
        for second in 0...5 { #expect(try track.add(update(second, hasDate: false), at: instant(second)).count == 1) }
    }

    @Test func `a stream at rest sends one position a minute`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(
            1, configuration: .fitness, options: StreamOptions(pausesWhenStationary: false, tolerance: 25))
        stage.fixes(1, from: 0, seconds: 130)
        stage.wait(70)
        #expect(stage.takeUpdates(1) == ["starting", "tty1", "tty1", "tty1", "tty1", "receiverSilent"])
    }

    @Test func `held positions are delivered in batches too`() {
        var stage = Stage()
        stage.attach(1)
        stage.subscribe(
            1, configuration: .fitness,
            options: StreamOptions(maximumDelay: .seconds(300), pausesWhenStationary: false, tolerance: 25))
        stage.fixes(1, from: 0, seconds: 130)
        #expect(stage.takeUpdates(1) == ["starting"])
        stage.wait(301)
        #expect(stage.takeUpdates(1) == ["tty1", "tty1", "tty1", "tty1", "receiverSilent"])
    }
}
