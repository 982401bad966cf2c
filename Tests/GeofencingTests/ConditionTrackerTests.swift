import Chronology
import Geodesy
import Geofencing
import Positioning
import Simulator
import Testing

/// A device on a straight line that runs north through the centre of a circle of 100 m, drawn epoch
/// by epoch.
private struct TrackerScenario {
    static let radius = 100.0
    let center = Coordinate(latitude: 48, longitude: 11)
    var condition: FenceCondition
    var tracker: ConditionTracker
    var evidenceBuilder = EvidenceBuilder()
    var last: FenceEvidence?
    var second = 0
    var timedOutcomes: [(second: Int, outcome: ConditionOutcome)] = []

    init(
        assuming: ConditionState = .unknown, dwell: Instant.Span? = nil, expiry: UTCTime? = nil,
        radius: Double = Self.radius
    ) throws {
        let center = try #require(center)
        condition = FenceCondition(
            shape: .circle(center: center, radius: radius), assuming: assuming, dwell: dwell, expiry: expiry)
        tracker = ConditionTracker(condition)
    }

    var kinds: [String] { timedOutcomes.map { "\($0.outcome.kind)" } }
    var now: Instant { .zero + .seconds(Double(second)) }

    /// Evaluates a position `north` metres north of the centre.
    mutating func process(north: Double, speed: Double? = nil, accuracy: Double = 4, quality: FixQuality = .autonomous)
    {
        guard let center else { return }
        var fix = Fix(mode: .threeD, quality: quality)
        fix.coordinate = center.moved(by: north, bearing: 0)
        (fix.horizontalAccuracy, fix.speed) = (accuracy, speed)
        fix.time = UTCTime(milliseconds: Int64(second) * 1000)
        guard let evidence = evidenceBuilder.process(fix, motion: nil, stationaryPosition: nil, at: now) else { return }
        last = evidence
        record(tracker.process(evidence, of: condition))
    }

    private mutating func record(_ outcomes: ConditionOutcomes) {
        if let first = outcomes.first { timedOutcomes.append((second, first)) }
        if let then = outcomes.second { timedOutcomes.append((second, then)) }
    }

    /// Moves from one position to another with one epoch per second.
    mutating func drive(from: Double, to: Double, speed: Double, accuracy: Double = 4) {
        for step in 0...Int(abs(to - from) / speed) {
            process(north: from + (to > from ? 1 : -1) * Double(step) * speed, speed: speed, accuracy: accuracy)
            second += 1
        }
    }

    mutating func stand(_ north: Double, seconds: Int, speed: Double = 0.1, accuracy: Double = 4) {
        for _ in 0..<seconds {
            process(north: north, speed: speed, accuracy: accuracy)
            second += 1
        }
    }

    mutating func pass(seconds: Int) {
        let end = second + seconds
        while let due = tracker.deadline(of: condition, last: last), due <= .zero + .seconds(Double(end)) {
            second = max(second, Int((due - .zero).seconds))
            record(tracker.tick(at: due, last: last, of: condition))
        }
        second = end
    }
}

@Suite struct ConditionTrackerTests {
    @Test func `the state of a condition takes at most 64 bytes`() {
        #expect(MemoryLayout<ConditionTracker>.size <= 64)
        #expect(MemoryLayout<ConditionTracker>.stride <= 64)
    }

    @Test func `the first result determines the state without a crossing`() throws {
        var scenario = try TrackerScenario()
        scenario.process(north: 500)
        #expect(scenario.kinds == ["determined"] && scenario.timedOutcomes[0].outcome.state == .unsatisfied)
        var inside = try TrackerScenario()
        inside.process(north: 0)
        #expect(inside.kinds == ["determined"] && inside.timedOutcomes[0].outcome.state == .satisfied)
    }

    @Test func `an assumed state that matches is not published`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied)
        scenario.process(north: 500)
        #expect(scenario.timedOutcomes.isEmpty && scenario.tracker.state == .unsatisfied)
        var other = try TrackerScenario(assuming: .satisfied)
        other.process(north: 500)
        #expect(other.kinds == ["determined"])
    }

    @Test(arguments: [1.0, 1.4, 5, 14, 33])
    func `a drive through publishes one entry and one exit`(speed: Double) throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied)
        scenario.drive(from: -500, to: 500, speed: speed)
        #expect(scenario.kinds == ["entered", "left"])
        let times = [400 / speed, 600 / speed]
        for (timedOutcomes, time) in zip(scenario.timedOutcomes, times) {
            let date = try #require(timedOutcomes.outcome.date)
            #expect(abs(Double(date.milliseconds) / 1000 - time) < 0.3)
            #expect(Double(timedOutcomes.second) - time <= 25)
        }
    }

    @Test func `a fast pass with fewer than two fixes inside is still published`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied)
        scenario.drive(from: -1700, to: 1700, speed: 250)
        #expect(scenario.kinds == ["entered", "left"])
        let entry = try #require(scenario.timedOutcomes[0].outcome.date),
            exit = try #require(scenario.timedOutcomes[1].outcome.date)
        #expect(abs(Double(entry.milliseconds) - 6400) < 50 && abs(Double(exit.milliseconds) - 7200) < 50)
    }

    @Test func `a jump at an impossible speed is no crossing`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied)
        scenario.stand(-1000, seconds: 5)
        scenario.stand(1000, seconds: 60)
        #expect(scenario.timedOutcomes.isEmpty)
    }

    @Test func `position noise across the boundary without speed is no crossing`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied)
        scenario.stand(60, seconds: 60)
        // The position is 20 m outside for two minutes, while the Doppler speed is zero.
        for step in 0..<30 { scenario.stand(90 + Double(step), seconds: 1) }
        scenario.stand(120, seconds: 120)
        #expect(scenario.timedOutcomes.isEmpty)
    }

    @Test func `a position spike is no crossing`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied)
        scenario.stand(0, seconds: 60)
        scenario.stand(700, seconds: 2)
        scenario.stand(0, seconds: 60)
        #expect(scenario.timedOutcomes.isEmpty)
    }

    @Test(arguments: [(ConditionState.satisfied, 84.0, 120.0), (.unsatisfied, 116, 80)])
    func `two short excursions are no crossing`(state: ConditionState, here: Double, there: Double) throws {
        var scenario = try TrackerScenario(assuming: state)
        scenario.stand(here, seconds: 120)
        for _ in 0..<2 {
            scenario.drive(from: here, to: there, speed: 4)
            scenario.drive(from: there, to: here, speed: 4)
            scenario.stand(here, seconds: 60)
        }
        #expect(scenario.timedOutcomes.isEmpty && scenario.tracker.state == state)
    }

    /// The false run of a parked u-blox (`docs/motion.md`), extended until it publishes an exit.
    /// The position returns without Doppler speed, and the exit is retracted.
    @Test func `a false exit is retracted`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied)
        scenario.stand(80, seconds: 120)
        scenario.drive(from: 80, to: 170, speed: 5)
        scenario.stand(170, seconds: 10)
        #expect(scenario.kinds == ["left"])
        for step in 0..<90 { scenario.stand(170 - Double(step), seconds: 1) }
        scenario.stand(80, seconds: 20)
        #expect(scenario.kinds == ["left", "retracted"] && scenario.tracker.state == .satisfied)
    }

    @Test func `a crossing with an implausible halt is not published`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied)
        scenario.stand(80, seconds: 120)
        scenario.drive(from: 80, to: 136, speed: 14)
        scenario.stand(140, seconds: 15)
        for step in 0..<50 { scenario.stand(140 - 1.2 * Double(step), seconds: 1) }
        scenario.stand(80, seconds: 60)
        #expect(scenario.timedOutcomes.isEmpty)
    }

    @Test func `the state holds while the fix is lost`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied)
        scenario.stand(0, seconds: 5)
        scenario.second += 7200
        scenario.process(north: 400, speed: 10, quality: .estimated)
        scenario.second += 7200
        scenario.stand(10, seconds: 5)
        #expect(scenario.timedOutcomes.isEmpty && scenario.tracker.state == .satisfied)
    }

    @Test func `one fix a minute decides each crossing at once`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied)
        for north in stride(from: -900.0, through: 900, by: 60) {
            scenario.process(north: north, speed: 10)
            scenario.second += 60
        }
        #expect(scenario.kinds == ["entered", "left"])
        #expect(
            scenario.timedOutcomes.allSatisfy {
                Double($0.second) - Double($0.outcome.date?.milliseconds ?? 0) / 1000 <= 60
            },
            "\(scenario.timedOutcomes)")
    }

    @Test func `dwell counts from the first confident epoch`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied, dwell: .seconds(600))
        scenario.drive(from: -500, to: 0, speed: 10)
        let entry = 42
        scenario.stand(0, seconds: 100)
        // An ambiguous position, then a gap of five minutes.
        scenario.stand(98, seconds: 60)
        scenario.second += 300
        scenario.stand(0, seconds: 10)
        #expect(scenario.kinds == ["entered"])
        scenario.pass(seconds: 200)
        #expect(scenario.kinds == ["entered", "dwelt"])
        let date = try #require(scenario.timedOutcomes[1].outcome.date)
        #expect(abs(Double(date.milliseconds) / 1000 - Double(entry + 600)) < 3)
    }

    @Test func `a long gap restarts the dwell time`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied, dwell: .seconds(600))
        scenario.stand(0, seconds: 100)
        scenario.second += 400
        scenario.stand(0, seconds: 10)
        scenario.pass(seconds: 250)
        #expect(scenario.timedOutcomes.isEmpty)
        scenario.stand(0, seconds: 400)
        #expect(scenario.kinds == ["dwelt"])
    }

    @Test func `dwell does not pass while the position is unknown`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied, dwell: .seconds(600))
        scenario.stand(0, seconds: 100)
        scenario.pass(seconds: 4000)
        #expect(
            scenario.timedOutcomes.isEmpty
                && scenario.tracker.deadline(of: scenario.condition, last: scenario.last) == nil)
    }

    @Test func `expiry follows the receiver time`() throws {
        var scenario = try TrackerScenario(assuming: .satisfied, expiry: UTCTime(milliseconds: 50_000))
        scenario.stand(0, seconds: 20)
        #expect(scenario.tracker.deadline(of: scenario.condition, last: scenario.last) == .zero + .seconds(50))
        scenario.pass(seconds: 100)
        scenario.stand(500, seconds: 20)
        #expect(scenario.kinds == ["expired"] && scenario.tracker.state == .unmonitored)
    }

    @Test func `a circle smaller than the accuracy stays undecided`() throws {
        var scenario = try TrackerScenario(assuming: .unsatisfied, radius: 10)
        scenario.drive(from: -200, to: 0, speed: 1.4, accuracy: 12)
        scenario.stand(0, seconds: 60, accuracy: 12)
        #expect(
            scenario.timedOutcomes.isEmpty && scenario.condition.shape?.isTooSmall(forAccuracy: 12) == true,
            "\(scenario.timedOutcomes)")
        scenario.drive(from: 0, to: 3, speed: 1, accuracy: 3)
        scenario.stand(3, seconds: 60)
        #expect(scenario.kinds == ["entered"])
    }

    @Test func `a restored condition publishes a crossing that happened meanwhile`() throws {
        var scenario = try TrackerScenario()
        scenario.tracker = ConditionTracker(scenario.condition, snapshot: ConditionSnapshot(state: .satisfied))
        scenario.process(north: 3000, speed: 0)
        scenario.second += 1
        scenario.stand(3000, seconds: 30)
        #expect(scenario.kinds == ["left"])
    }
}

@Suite struct ConditionRandomTests {
    /// For any input: no exit without an entry, no two equal events in a row, and a retraction
    /// restores the previous state.
    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `events alternate and retractions restore the previous state`(seed: UInt64) throws {
        let center = try place(latitude: 48, longitude: 11)
        var random = RandomSource(seed: seed, purpose: 5)
        let shape: FenceShape =
            seed % 3 == 0
            ? .corridor(path: [center, center.moved(by: 300, bearing: 60)], width: 80)
            : .circle(center: center, radius: 20 + 200 * random.uniform())
        let condition = FenceCondition(
            shape: shape, assuming: ConditionState.allCases[Int(seed % 3)], dwell: .seconds(30))
        var tracker = ConditionTracker(condition)
        var evidenceBuilder = EvidenceBuilder()
        var motion = MotionDetector(.any)
        var east = 0.0
        var north = 0.0
        var speed = 0.0
        var course = 0.0
        var now = Instant.zero
        var (state, dwelt) = (ConditionState.unknown, false)
        func check(_ outcome: ConditionOutcome?) {
            guard let outcome else { return }
            switch outcome.kind {
            case .determined: #expect(state == .unknown && outcome.state != condition.assuming)
            case .entered: #expect(state == .unsatisfied && outcome.state == .satisfied)
            case .left: #expect(state == .satisfied && outcome.state == .unsatisfied)
            case .retracted: #expect(state != .unknown && outcome.state != state)
            case .dwelt: #expect(state == .satisfied && outcome.state == .satisfied && !dwelt)
            case .expired, .moved, .unknown: Issue.record("nothing expires or moves here")
            }
            if outcome.kind != .dwelt { (state, dwelt) = (outcome.state, false) } else { dwelt = true }
        }
        let plane = LocalPlane(origin: center)
        for _ in 0..<4000 {
            now = now + .seconds(random.uniform() < 0.02 ? 400 * random.uniform() : 1)
            if random.uniform() < 0.05 {
                (speed, course) = (20 * random.uniform() * random.uniform(), 2 * .pi * random.uniform())
            }
            if random.uniform() < 0.01 { course = east > 0 ? 3.14 : 0 }
            let jump = random.uniform() < 0.01 ? 200.0 : 2
            east = min(max(east + speed * (1 - course * course / 8), -600), 600)
            north = min(max(north + speed * (course - 3) / 3, -600), 600)
            var fix = Fix(mode: .threeD, quality: random.uniform() < 0.02 ? .estimated : .autonomous)
            fix.coordinate = plane.coordinate(
                at: .init(east: east + random.normal() * jump, north: north + random.normal() * jump))
            fix.horizontalAccuracy = 2 + 30 * random.uniform() * random.uniform()
            fix.speed = random.uniform() < 0.1 ? nil : abs(speed + random.normal() * 0.3)
            fix.time = random.uniform() < 0.05 ? nil : UTCTime(milliseconds: now.nanoseconds / 1_000_000)
            let action = motion.process(fix, at: now)
            guard
                let evidence = evidenceBuilder.process(
                    fix, motion: action, stationaryPosition: motion.restingPlace, at: now)
            else { continue }
            let before = tracker.state
            let outcomes = tracker.process(evidence, of: condition)
            if outcomes.isEmpty, before == .unknown { state = tracker.state }
            check(outcomes.first)
            check(outcomes.second)
            #expect(state == tracker.state || state == .unknown && tracker.state == condition.assuming)
        }
        #expect(tracker.state != .unknown)
    }
}

@Suite struct EvidenceBuilderTests {
    @Test func `the evidence takes at most 160 bytes`() {
        #expect(MemoryLayout<FenceEvidence>.size <= 160)
    }
}
