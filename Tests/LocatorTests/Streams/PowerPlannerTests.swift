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
    /// Whether the sky is visible.
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
