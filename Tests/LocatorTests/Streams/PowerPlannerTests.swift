import Chronology
import Positioning
import Testing

@testable import Locator

/// A simulated receiver that follows the plan and records when it sleeps.
private struct Day {
    var planner = PowerPlanner()
    private(set) var second = 0
    /// The plan of each second: `R` runs, `l` checks or makes one duty-cycle fix, `.` sleeps until
    /// a given time, `_` sleeps without demand.
    private(set) var story = ""
    /// The number of seconds from waking to the first fix.
    var start = 2
    var hasSky = true
    private var awake = 0

    var now: Instant { Instant.zero + .seconds(Double(second)) }

    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            second += 1
            while let due = planner.deadline, due <= now { planner.tick(at: now) }
            recordPlan()
        }
    }

    /// Passes a report of a motion source on. Returns whether it begins a check.
    mutating func beginsCheck(_ response: MotionSources.Response = .check(isLong: true)) -> Bool {
        planner.recordMotion(response, at: now)
    }

    private mutating func recordPlan() {
        switch planner.plan {
        case .sleepIndefinitely: (story, awake) = (story + "_", 0)
        case .sleep: (story, awake) = (story + ".", 0)
        case .run(let plan):
            awake += 1
            story += planner.deadline == nil || !plan.allowsPowerSave && plan.period < .seconds(1) ? "R" : "l"
            if hasSky && awake >= start { planner.recordFix(at: now) }
        }
    }

    func share(of letters: String, since: Int = 0) -> Double {
        let plans = story.dropFirst(since)
        return Double(plans.count { letters.contains($0) }) / Double(max(1, plans.count))
    }
}

@Suite struct PowerPlannerTests {
    @Test func `without demand the receiver sleeps`() {
        var day = Day()
        day.pass(60)
        #expect(day.share(of: "_") == 1)
        #expect(day.planner.deadline == nil)
    }

    @Test func `the receiver runs on for 30 seconds after its last demand`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.pass(10)
        day.planner.updateDemand(nil, at: day.now)
        day.pass(29)
        #expect(!day.story.contains("_"))
        day.pass(2)
        #expect(day.planner.plan == .sleepIndefinitely)
        // Demand within the 30 seconds finds the receiver awake; later demand wakes it at once.
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
    }

    @Test(arguments: Configuration.allCases)
    func `each configuration runs at its own fix interval`(configuration: Configuration) {
        var planner = PowerPlanner()
        planner.updateDemand(configuration.demand, at: .zero)
        guard case .run(let plan) = planner.plan else { return #expect(Bool(false), "does not run") }
        #expect(plan.period == (configuration == .automotiveNavigation ? .milliseconds(200) : .seconds(1)))
        #expect(plan.allowsPowerSave == (configuration != .automotiveNavigation && configuration != .otherNavigation))
    }

    @Test func `long intervals use one duty-cycle fix each`() {
        var day = Day()
        day.planner.updateDemand(Demand(interval: .seconds(60), stationaryCheckInterval: nil), at: day.now)
        day.pass(1200)
        #expect(day.share(of: "l") < 0.06)
        #expect(day.story.split(separator: ".").count >= 20)
    }

    @Test func `short pauses do not justify sleep`() {
        var day = Day()
        day.planner.updateDemand(Demand(interval: .seconds(5), stationaryCheckInterval: nil), at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
        day.planner.costs = ReceiverCosts(hotStart: .seconds(30))
        day.planner.updateDemand(Demand(interval: .seconds(60), stationaryCheckInterval: nil), at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func `check intervals of a stationary device grow up to 280 seconds`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.pass(10)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(3600)
        let sleeps = day.story.split { $0 != "." }.map(\.count)
        // The receiver wakes in the thirtieth second.
        #expect(Array(sleeps.prefix(5)) == [29, 59, 119, 239, 279])
        #expect(sleeps.max() == 279)
        #expect(day.share(of: "l", since: 700) < 0.04)
    }

    @Test func `a stationary vehicle is checked every minute`() {
        var day = Day()
        day.planner.updateDemand(Configuration.automotiveNavigation.demand, at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(3600)
        #expect(day.story.split { $0 != "." }.map(\.count).max() == 59)
    }

    @Test(arguments: [Configuration.default, .automotiveNavigation])
    func `a check needs one fix`(configuration: Configuration) {
        var day = Day()
        day.planner.updateDemand(configuration.demand, at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(3600)
        #expect(day.story.dropFirst(100).split(separator: ".").map(\.count).max() == 2)
    }

    @Test func `a departure wakes the receiver for good`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(500)
        day.planner.updateMovement(.moving, at: day.now)
        day.pass(100)
        #expect(!day.story.suffix(100).contains("."))
    }

    @Test func `without sky a check is given up`() {
        var day = Day()
        day.hasSky = false
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(4 * 3600)
        #expect(day.share(of: "l", since: 1000) < 0.15)
    }

    @Test func `demand for fixes at rest prevents sleep`() {
        var day = Day()
        let demand = Demand(interval: .seconds(1), stationaryCheckInterval: nil)
        day.planner.updateDemand(Configuration.default.demand.union(demand), at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func `a receiver that cannot sleep keeps running`() {
        var day = Day()
        day.planner.costs.supportsSleep = false
        day.planner.updateDemand(Demand(interval: .seconds(300), stationaryCheckInterval: .standard), at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
    }

    @Test func `new demand wakes a sleeping receiver immediately`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(400)
        day.planner.updateDemand(
            Demand(interval: .seconds(1), stationaryCheckInterval: nil).union(Configuration.default.demand),
            at: day.now)
        day.pass(3)
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
    }
}

/// No satellite is received.
@Suite struct BlockedSkyPlannerTests {
    @Test func `without sky the search for a fix pauses with growing intervals`() {
        var day = Day()
        day.hasSky = false
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.pass(300)
        #expect(!day.story.dropLast().contains("."))
        day.pass(4 * 3600)
        #expect(day.share(of: "l", since: 300) < 0.16)
        let sleeps = day.story.split { $0 != "." }.map(\.count)
        #expect(Array(sleeps.prefix(4)) == [60, 120, 240, 280])
        // With the sky visible again, the receiver runs as usual.
        day.hasSky = true
        day.pass(400)
        #expect(!day.story.suffix(60).contains("."))
        #expect(day.planner.plan == .run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
    }

    @Test func `in a second tunnel the pauses of the search begin again`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        for _ in 0..<2 {
            day.hasSky = true
            day.pass(600)
            let began = day.second
            day.hasSky = false
            day.pass(3600)
            #expect(day.story.dropFirst(began).split { $0 != "." }.prefix(4).map(\.count) == [60, 120, 240, 280])
        }
    }

    @Test func `without sky a low-latency stream keeps the search running`() {
        var day = Day()
        day.hasSky = false
        day.planner.updateDemand(Configuration.automotiveNavigation.demand, at: day.now)
        day.pass(3600)
        #expect(!day.story.contains("."))
    }

    @Test func `a low-latency stream ends the pauses of the search`() {
        var day = Day()
        day.hasSky = false
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.pass(1000)
        day.planner.updateDemand(Configuration.automotiveNavigation.demand, at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(period: .milliseconds(200), dynamics: .automotive)))
    }
}

/// Watched fence boundaries, with and without streams.
@Suite struct NextFixRequestTests {
    @Test func `a fence needs no fix before the given instant`() {
        var day = Day()
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.pass(1)
        #expect(day.planner.plan == .run(RunPlan(isDutyCycleFix: true)))
        // The fix gives the distance to the boundary.
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: day.now + .seconds(120)), at: day.now)
        day.planner.recordFix(at: day.now)
        #expect(day.planner.plan == .sleep(until: day.now + .seconds(118)))
    }

    @Test func `a nearby fence boundary needs every fix`() {
        var day = Day()
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.pass(60)
        #expect(!day.story.contains("."))
    }

    @Test func `a stationary device with fences gets short and frequent checks`() {
        var day = Day()
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.pass(10)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(3600)
        #expect(day.story.split { $0 != "." }.map(\.count).max() == 39)
        #expect(day.share(of: "l", since: 100) < 0.07)
    }

    @Test func `an undecided condition keeps a stationary receiver awake`() {
        var day = Day()
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero, needsConfirmation: true), at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(100)
        #expect(!day.story.contains("."))
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.pass(2)
        #expect(day.story.last == ".")
    }

    @Test func `a later fence check does not interrupt a running stream`() {
        var day = Day()
        day.planner.updateDemand(Configuration.default.demand, at: day.now)
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: day.now + .seconds(1000)), at: day.now)
        day.pass(100)
        #expect(
            !day.story.contains(".") && day.planner.plan == .run(RunPlan(period: .seconds(1), allowsPowerSave: true)))
    }

    @Test(arguments: [Configuration.default, .otherNavigation])
    func `the check of a fence counts as one for a stream`(configuration: Configuration) {
        var day = Day()
        day.planner.updateDemand(configuration.demand, at: day.now)
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(3600)
        let sleeps = day.story.dropFirst(600).split { $0 != "." }.dropFirst().dropLast().map(\.count)
        #expect(sleeps.allSatisfy { $0 == 39 }, "\(sleeps)")
        #expect(day.share(of: "l", since: 600) < 0.06)
    }

    @Test func `a doubtful fix extends the check of a stream`() {
        var planner = PowerPlanner()
        planner.updateDemand(Configuration.automotiveNavigation.demand, at: .zero)
        planner.updateMovement(.stationary, at: .zero)
        planner.tick(at: .zero + .seconds(31))
        planner.recordFix(at: .zero + .seconds(33), suspectsDeparture: true)
        #expect(planner.plan == .run(RunPlan(dynamics: .automotive, isDutyCycleFix: true)))
        planner.recordFix(at: .zero + .seconds(34))
        guard case .sleep = planner.plan else { return #expect(Bool(false), "does not sleep") }
    }

    @Test func `a doubtful fix extends the check of a fence`() {
        var planner = PowerPlanner()
        planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: .zero)
        planner.updateMovement(.stationary, at: .zero)
        planner.tick(at: .zero + .seconds(31))
        planner.recordFix(at: .zero + .seconds(33), suspectsDeparture: true)
        #expect(planner.plan == .run(RunPlan(isDutyCycleFix: true)))
        planner.recordFix(at: .zero + .seconds(34))
        guard case .sleep = planner.plan else { return #expect(Bool(false), "does not sleep") }
    }

    @Test func `without fences the receiver sleeps again`() {
        var day = Day()
        day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero), at: day.now)
        day.pass(10)
        day.planner.updateNextFixRequest(nil, at: day.now)
        day.pass(31)
        #expect(day.planner.plan == .sleepIndefinitely)
    }
}

/// Reports of motion sources, and the silence of trusted ones.
@Suite struct MotionPlannerTests {
    /// A device at rest: with a stream, near a fence, or far away from one.
    private func resting(
        _ demand: Demand? = nil, notBefore: Double? = 0, quiet: Bool = false, seconds: Int = 1000
    ) -> Day {
        var day = Day()
        if quiet { day.planner.updateQuiet(since: day.now, at: day.now) }
        day.planner.updateDemand(demand, at: day.now)
        if let notBefore {
            day.planner.updateNextFixRequest(NextFixRequest(notBefore: .zero + .seconds(notBefore)), at: day.now)
        }
        day.planner.updateMovement(.stationary, at: day.now)
        day.pass(seconds)
        return day
    }

    @Test func `while trusted sources are silent checks are an hour apart`() {
        let fence = resting(quiet: true, seconds: 4 * 3600)
        #expect(fence.story.split { $0 != "." }.map(\.count).prefix(6) == [29, 39, 39, 39, 3599, 3599])
        let stream = resting(Configuration.default.demand, notBefore: nil, quiet: true, seconds: 4 * 3600)
        #expect(stream.story.split { $0 != "." }.map(\.count).prefix(4) == [29, 59, 119, 3599])
    }

    @Test(arguments: [false, true], [false, true])
    func `a report ends the sleep, and a long check runs on for ten seconds`(quiet: Bool, isLong: Bool) {
        var day = resting(quiet: quiet)
        while case .run = day.planner.plan { day.pass(1) }
        let began = day.beginsCheck(.check(isLong: isLong))
        #expect(began && day.planner.plan == .run(RunPlan(isDutyCycleFix: true)))
        let before = day.story.count
        day.pass(60)
        #expect(day.story.dropFirst(before).prefix { $0 != "." }.count == (isLong ? 12 : 2))
    }

    @Test func `a report that may begin no check shortens the sleep to that without a source`() {
        var began: Bool
        var day = resting(quiet: true)
        began = day.beginsCheck(.shorterSleep)
        #expect(!began)
        #expect(day.planner.plan == .sleep(until: day.now + .seconds(40)))
        day.pass(10)
        began = day.beginsCheck(.shorterSleep)
        #expect(!began)
        #expect(day.planner.plan == .sleep(until: day.now + .seconds(30)))
    }

    @Test func `when no source is trusted any more, the sleep is shortened to that without one`() {
        var day = resting(quiet: true)
        #expect(day.planner.plan == .sleep(until: .zero + .seconds(3754)))
        day.planner.updateQuiet(since: nil, at: day.now)
        #expect(day.planner.plan == .sleep(until: day.now + .seconds(40)))
    }

    @Test func `a report far from all boundaries begins no check before one can be crossed`() {
        var began: Bool
        var day = resting(notBefore: 2000)
        #expect(day.planner.plan == .sleep(until: .zero + .seconds(1998)))
        began = day.beginsCheck()
        #expect(!began)
        #expect(day.planner.plan == .sleep(until: .zero + .seconds(1998)))
        // A stream reports the departure, wherever it is.
        day = resting(Configuration.default.demand, notBefore: 2000)
        while case .run = day.planner.plan { day.pass(1) }
        began = day.beginsCheck()
        #expect(began)
    }

    @Test func `a report begins no check while the device moves, nobody asks, or a receiver runs`() {
        var began: Bool
        var day = resting(nil, notBefore: nil)
        began = day.beginsCheck()
        #expect(!began && day.planner.plan == .sleepIndefinitely)
        day = resting(Demand(interval: .seconds(60), stationaryCheckInterval: nil), notBefore: nil)
        began = day.beginsCheck()
        #expect(!began)
        day = resting(Configuration.default.demand.union(Demand(interval: .seconds(1), stationaryCheckInterval: nil)))
        began = day.beginsCheck()
        #expect(!began)
    }

    @Test func `without sky the search goes on as without a source`() {
        for demand in [nil, Configuration.default.demand] {
            var day = resting(demand, notBefore: demand == nil ? 0 : nil, quiet: true, seconds: 3600)
            day.hasSky = false
            day.pass(4 * 3600)
            #expect(day.planner.isSkyBlocked)
            let pauses = day.story.split { $0 != "." }.map(\.count)
            #expect(pauses.contains(3599) && pauses.suffix(5).allSatisfy { $0 <= 280 })
        }
    }

    @Test func `under a blocked sky a report begins a check, because the device may leave the roof`() {
        var began: Bool
        var day = resting(quiet: true, seconds: 10)
        day.hasSky = false
        day.pass(4000)
        while case .run = day.planner.plan { day.pass(1) }
        #expect(day.planner.isSkyBlocked)
        began = day.beginsCheck(.shorterSleep)
        #expect(!began && day.planner.isSkyBlocked)
        began = day.beginsCheck()
        #expect(began && !day.planner.isSkyBlocked)
    }
}
