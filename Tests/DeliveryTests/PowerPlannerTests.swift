import Chronology
import Testing

@testable import Delivery

/// A receiver that does as planned: seconds asleep, and when.
private struct Day {
    var planner = PowerPlanner()
    private(set) var second = 0
    /// The plan of each second: `R` runs, `l` looks or fixes once, `.` sleeps, `_` rests.
    private(set) var story = ""
    /// Seconds from waking to the first fix.
    var start = 2
    /// Whether there is sky.
    var hasSky = true
    private var awake = 0

    var now: Instant { Instant.zero + .seconds(Double(second)) }

    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            second += 1
            while let due = planner.deadline, due <= now { planner.tick(at: now) }
            note()
        }
    }

    private mutating func note() {
        switch planner.plan {
        case .rest: (story, awake) = (story + "_", 0)
        case .standby: (story, awake) = (story + ".", 0)
        case .run(let plan):
            awake += 1
            story += planner.deadline == nil || !plan.isThrifty && plan.period < .seconds(1) ? "R" : "l"
            if hasSky && awake >= start { planner.fixed(at: now) }
        }
    }

    func share(of letters: String, since: Int = 0) -> Double {
        let seen = story.dropFirst(since)
        return Double(seen.count { letters.contains($0) }) / Double(max(1, seen.count))
    }
}

@Suite struct PowerPlannerTests {
    @Test func withoutAnybodyTheReceiverRests() {
        var day = Day()
        day.pass(60)
        #expect(day.share(of: "_") == 1)
        #expect(day.planner.deadline == nil)
    }

    @Test func theReceiverOutlastsItsLastConsumerByHalfAMinute() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.pass(10)
        day.planner.need(nil, at: day.now)
        day.pass(29)
        #expect(!day.story.contains("_"))
        day.pass(2)
        #expect(day.planner.plan == .rest)
        // Whoever returns within the grace finds it awake; whoever returns later wakes it at once.
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), isThrifty: true)))
    }

    @Test(arguments: LiveConfiguration.allCases)
    func eachConfigurationRunsAtItsPace(configuration: LiveConfiguration) {
        var planner = PowerPlanner()
        planner.need(configuration.demand, at: .zero)
        guard case .run(let plan) = planner.plan else { return #expect(Bool(false), "does not run") }
        #expect(plan.period == (configuration == .automotiveNavigation ? .milliseconds(200) : .seconds(1)))
        #expect(plan.isThrifty == (configuration != .automotiveNavigation && configuration != .otherNavigation))
    }

    @Test func seldomFixesAreOneLookEach() {
        var day = Day()
        day.planner.need(Demand(interval: .seconds(60), looksAtRest: nil), at: day.now)
        day.pass(1200)
        #expect(day.share(of: "l") < 0.06)
        #expect(day.story.split(separator: ".").count >= 20)
    }

    @Test func briefPausesAreNotWorthASleep() {
        var day = Day()
        day.planner.need(Demand(interval: .seconds(5), looksAtRest: nil), at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
        day.planner.costs = ReceiverCosts(hotStart: .seconds(30))
        day.planner.need(Demand(interval: .seconds(60), looksAtRest: nil), at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func aRestingDeviceIsLookedAtLessAndLess() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.pass(10)
        day.planner.moves(.resting, at: day.now)
        day.pass(3600)
        let sleeps = day.story.split { $0 != "." }.map(\.count)
        // The thirtieth second is the one it wakes in.
        #expect(Array(sleeps.prefix(5)) == [29, 59, 119, 239, 279])
        #expect(sleeps.max() == 279)
        #expect(day.share(of: "l", since: 700) < 0.04)
    }

    @Test func whoIsInAVehicleIsLookedAtOften() {
        var day = Day()
        day.planner.need(LiveConfiguration.automotiveNavigation.demand, at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(3600)
        #expect(day.story.split { $0 != "." }.map(\.count).max() == 59)
    }

    @Test func aDepartureWakesForGood() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(500)
        day.planner.moves(.moving, at: day.now)
        day.pass(100)
        #expect(!day.story.suffix(100).contains("."))
    }

    @Test func withoutSkyALookIsGivenUp() {
        var day = Day()
        day.hasSky = false
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(4 * 3600)
        #expect(day.share(of: "l", since: 1000) < 0.15)
    }

    @Test func whoWantsFixesAtRestGetsThem() {
        var day = Day()
        let demands = [LiveConfiguration.default.demand, Demand(interval: .seconds(1), looksAtRest: nil)]
        day.planner.need(Demand.union(of: demands), at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func aReceiverThatCannotSleepRuns() {
        var day = Day()
        day.planner.costs.sleeps = false
        day.planner.need(Demand(interval: .seconds(300), looksAtRest: .others), at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func whoComesWhileItSleepsIsServedAtOnce() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(400)
        day.planner.need(Demand.union(of: [.init(interval: .seconds(1), looksAtRest: nil), LiveConfiguration.default.demand]), at: day.now)
        day.pass(3)
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), isThrifty: true)))
    }
}

/// No satellite comes in.
@Suite struct BlindPlannerTests {
    @Test func withoutSkyItIsSearchedForNowAndThen() {
        var day = Day()
        day.hasSky = false
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.pass(300)
        #expect(!day.story.dropLast().contains("."))
        day.pass(4 * 3600)
        #expect(day.share(of: "l", since: 300) < 0.16)
        let sleeps = day.story.split { $0 != "." }.map(\.count)
        #expect(Array(sleeps.prefix(4)) == [60, 120, 240, 280])
        // Out of the garage it runs as if nothing had been.
        day.hasSky = true
        day.pass(400)
        #expect(!day.story.suffix(60).contains("."))
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), isThrifty: true)))
    }

    @Test func whoIsInAHurryIsSearchedOnFor() {
        var day = Day()
        day.hasSky = false
        day.planner.need(LiveConfiguration.automotiveNavigation.demand, at: day.now)
        day.pass(3600)
        #expect(!day.story.contains("."))
    }

    @Test func whoComesInAHurryEndsThePauses() {
        var day = Day()
        day.hasSky = false
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.pass(1000)
        day.planner.need(LiveConfiguration.automotiveNavigation.demand, at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
    }
}

/// Boundaries that are watched, beside streams and alone.
@Suite struct NextLookTests {
    @Test func nothingIsNeededBeforeTheInstant() {
        var day = Day()
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(isLook: true)))
        // The fix says how far away the boundary is.
        day.planner.look(NextLook(notBefore: day.now + .seconds(120)), at: day.now)
        day.planner.fixed(at: day.now)
        #expect(day.planner.plan == .standby(until: day.now + .seconds(118)))
    }

    @Test func aNearBoundaryWantsEveryFix() {
        var day = Day()
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.pass(60)
        #expect(!day.story.contains("."))
    }

    @Test func whatRestsIsLookedAtBrieflyAndOften() {
        var day = Day()
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.pass(10)
        day.planner.moves(.resting, at: day.now)
        day.pass(3600)
        #expect(day.story.split { $0 != "." }.map(\.count).max() == 39)
        #expect(day.share(of: "l", since: 100) < 0.07)
    }

    @Test func whatIsOpenIsDecidedFirst() {
        var day = Day()
        day.planner.look(NextLook(notBefore: .zero, isOpen: true), at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.pass(2)
        #expect(day.story.last == ".")
    }

    @Test func aStreamThatRunsIsNotDisturbed() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.planner.look(NextLook(notBefore: day.now + .seconds(1000)), at: day.now)
        day.pass(100)
        #expect(!day.story.contains(".") && day.planner.plan == .run(RunPlan(period: .seconds(1), isThrifty: true)))
    }

    @Test func besideAStreamAtRestLooksAreBriefButForTheStreamsOwn() {
        var day = Day()
        day.planner.need(LiveConfiguration.default.demand, at: day.now)
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.planner.moves(.resting, at: day.now)
        day.pass(3600)
        let looks = day.story.dropFirst(600).split(separator: ".").map(\.count)
        #expect(looks.contains { $0 > 5 } && looks.count { $0 <= 3 } > 2 * looks.count { $0 > 5 })
    }

    @Test func aLookInDoubtGoesOn() {
        var planner = PowerPlanner()
        planner.look(NextLook(notBefore: .zero), at: .zero)
        planner.moves(.resting, at: .zero)
        planner.tick(at: .zero + .seconds(31))
        planner.fixed(at: .zero + .seconds(33), isDoubtful: true)
        #expect(planner.plan == .run(RunPlan(isLook: true)))
        planner.fixed(at: .zero + .seconds(34))
        guard case .standby = planner.plan else { return #expect(Bool(false), "does not sleep") }
    }

    @Test func whenNobodyWatchesAnyMoreItRests() {
        var day = Day()
        day.planner.look(NextLook(notBefore: .zero), at: day.now)
        day.pass(10)
        day.planner.look(nil, at: day.now)
        day.pass(31)
        #expect(day.planner.plan == .rest)
    }
}
