import Chronology
import Positioning
import Testing

@testable import Locator

/// The fixes that a stream gets, drawn in columns of one stated time step each: `x` is a fix, a
/// blank is none.
@Suite struct StreamFilterTests {
    /// Plays a drawing; the result has an `x` where the fix reached the stream.
    private func admitted(_ fixes: String, configuration: Configuration, step: Int64, hasTime: Bool = true)
        -> String
    {
        var filter = StreamFilter(configuration: configuration)
        var reached = ""
        for (column, sign) in fixes.enumerated() {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            if hasTime { fix.time = UTCTime(milliseconds: 1_800_000_000_000 + Int64(column) * step) }
            let isReached = sign == "x" && filter.admits(fix, at: .zero + .milliseconds(Int64(column) * step))
            reached += isReached ? "x" : " "
        }
        return reached
    }

    @Test(arguments: [
        (Configuration.automotiveNavigation, Int64(1000), "xxxxxxx", "xxxxxxx"),
        (.automotiveNavigation, 200, "xxxxxxx", "xxxxxxx"),
        (.automotiveNavigation, 100, "xxxxxxx", "x x x x"), (.automotiveNavigation, 40, "xxxxxxxxxxx", "x    x    x"),
        (.otherNavigation, 1000, "xxxxxxx", "xxxxxxx"), (.otherNavigation, 200, "xxxxxxxxxxx", "x    x    x"),
        (.fitness, 500, "xxxxxxx", "x x x x"), (.airborne, 100, "xxxxxxxxxxxxxxxxxxxxx", "x         x         x"),
        (.default, 1000, "xxxxxxxxxxx", "x    x    x"), (.default, 2000, "xxxxxxx", "x  x  x"),
        (.default, 10_000, "xxxx", "xxxx"),
    ])
    func `each configuration delivers at its own rate`(
        configuration: Configuration, step: Int64, fixes: String, reached: String
    ) {
        #expect(admitted(fixes, configuration: configuration, step: step) == reached)
        #expect(admitted(fixes, configuration: configuration, step: step, hasTime: false) == reached)
    }

    /// The interval starts at the last update sent, so that a lost fix does not double it.
    @Test func `a lost fix does not stretch the interval`() {
        #expect(admitted("xxxx  xxxx  xxxxx", configuration: .default, step: 1000) == "x     x     x    ")
    }

    /// Stated times may vary by milliseconds.
    @Test(arguments: [(Int64(4980), true), (4979, false), (5000, true), (5020, true)])
    func `a fix that is slightly early is on time`(after: Int64, reaches: Bool) {
        var filter = StreamFilter(configuration: .default)
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.time = UTCTime(milliseconds: 0)
        #expect(filter.admits(fix, at: .zero) == true)
        fix.time = UTCTime(milliseconds: after)
        #expect(filter.admits(fix, at: .zero) == reaches)
    }

    /// The receiver's time counts, not the instant at which the burst arrived.
    @Test func `a late burst does not lower the rate`() {
        var filter = StreamFilter(configuration: .otherNavigation)
        var reached: [Bool] = []
        for (second, late) in [0, 700, 0, 300, 0].enumerated() {
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.time = UTCTime(milliseconds: Int64(second) * 1000)
            reached.append(filter.admits(fix, at: .zero + .milliseconds(Int64(second * 1000 + late))))
        }
        #expect(reached == [true, true, true, true, true])
    }

    @Test func `a receiver clock set back restarts the interval`() {
        var filter = StreamFilter(configuration: .default)
        var fix = Fix(mode: .threeD, quality: .autonomous)
        var reached: [Bool] = []
        for milliseconds in [100_000, 101_000, 50_000, 51_000, 55_000] as [Int64] {
            fix.time = UTCTime(milliseconds: milliseconds)
            reached.append(filter.admits(fix, at: .zero))
        }
        #expect(reached == [true, false, true, false, true])
    }
}

@Suite struct UnavailabilityFilterTests {
    private let noFix = Unavailability(.noFix, detail: "0 satellite signals")

    @Test func `each cause is delivered once`() {
        var filter = StreamFilter(configuration: .default)
        #expect(filter.admits(noFix) == true)
        #expect(filter.admits(noFix) == false)
        #expect(filter.admits(Unavailability(.receiverSilent, detail: "nothing arrives")) == true)
        #expect(filter.admits(noFix) == true)
        #expect(filter.admits(noFix) == false)
    }

    /// The next fix after an outage is delivered at once, and then the same cause is delivered
    /// again.
    @Test func `the first fix after an outage is delivered at once`() {
        var filter = StreamFilter(configuration: .default)
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.time = UTCTime(milliseconds: 0)
        #expect(filter.admits(fix, at: .zero) == true)
        fix.time = UTCTime(milliseconds: 1000)
        #expect(filter.admits(fix, at: .zero + .seconds(1)) == false)
        #expect(filter.admits(noFix) == true)
        fix.time = UTCTime(milliseconds: 2000)
        #expect(filter.admits(fix, at: .zero + .seconds(2)) == true)
        #expect(filter.admits(noFix) == true)
    }
}

@Suite struct LiveConfigurationTests {
    /// The names are those of the wire format and of Core Location.
    @Test func `configuration names match the wire format`() {
        #expect(
            Configuration.allCases.map(\.rawValue) == [
                "default", "automotiveNavigation", "otherNavigation", "fitness", "airborne",
            ])
    }

    @Test(arguments: [
        (Configuration.automotiveNavigation, 0.2), (.otherNavigation, 1), (.fitness, 1), (.airborne, 1),
        (.default, 5),
    ])
    func `each configuration has its minimum interval`(configuration: Configuration, seconds: Double) {
        #expect(configuration.minimumInterval == .seconds(seconds))
    }

    /// A time that is not later than the last update is past, also after an outage. A larger error
    /// of the clock restarts the stream.
    @Test(arguments: [
        (Int64(300), false), (0, true), (-1000, true), (-4999, true), (-5000, false), (-3_600_000, false),
    ])
    func `a fix that is not newer than the last one is past`(after: Int64, isPast: Bool) {
        for hasOutage in [false, true] {
            var filter = StreamFilter(configuration: .automotiveNavigation)
            var fix = Fix(mode: .threeD, quality: .autonomous)
            fix.time = UTCTime(milliseconds: 1_800_000_000_000)
            #expect(filter.admits(fix, at: .zero) == true)
            if hasOutage { #expect(filter.admits(Unavailability(.noFix, detail: "no sky")) == true) }
            fix.time = UTCTime(milliseconds: 1_800_000_000_000 + after)
            #expect(filter.isOutdated(fix) == isPast)
        }
    }
}
