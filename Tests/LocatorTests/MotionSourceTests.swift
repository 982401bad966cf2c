import Chronology
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Locator

/// A time line of a minute per character, and what it makes of a source named `s`.
private struct TimeLine {
    var sources = MotionSources()
    private(set) var now = Instant.zero
    /// The trust after each minute: `u`, `t`, `d`, `n`.
    private(set) var trust = ""
    /// What each report caused: `c` a check, `s` a shorter sleep, `.` nothing.
    private(set) var answers = ""

    /// - Parameters:
    ///   - events: `z` comes to rest, `r` a report, `D` departs since the last minute, `x` a
    ///     departure is retracted, a space nothing.
    ///   - looks: Whether receivers sleep, so that a report that may begin a check does.
    init(_ events: String, looks: Bool = true, trust: MotionTrust = .unproven) {
        sources.add([MotionSource(name: "s", trust: trust)])
        pass(events, looks: looks)
    }

    mutating func pass(_ events: String, looks: Bool = true) {
        guard let place = TimeLine.place else { return }
        for event in events {
            now = now + .seconds(60)
            var answer: Character = " "
            switch event {
            case "z": sources.record(.becameStationary(place), at: now)
            case "D": sources.record(.becameMoving(since: now - .seconds(60)), at: now)
            case "x": sources.record(.retracted(place), at: now)
            case "r": answer = report(looks: looks)
            default: break
            }
            answers.append(answer)
            trust.append(sources.sources[0].trust.rawValue.first ?? "?")
        }
    }

    private mutating func report(looks: Bool) -> Character {
        switch sources.report(from: "s", at: now) {
        case .nothing: return "."
        case .shorterSleep: return "s"
        case .check:
            if looks { sources.recordCheck(from: "s", at: now) }
            return "c"
        }
    }

    private static let place = Coordinate(latitude: 51, longitude: 0).map {
        StationaryPlace(coordinate: $0, horizontalAccuracy: 3, since: .zero)
    }
}

@Suite("Motion sources")
struct MotionSourceTests {
    @Test func `a source that reports three departures is trusted`() {
        let line = TimeLine("z rDz rDz rDz")
        #expect(line.trust == "uuuuuuuuuuutt")
        #expect(line.sources.sources[0].departures == 3)
    }

    @Test func `a report counts for a departure if the device was in its place at most 30 s later`() {
        // The departure is dated a minute before its minute, so at most 90 s after the report.
        let early = TimeLine("zr  D")
        #expect(early.trust == "uuuud")
        #expect(TimeLine("zr D").trust == "uuud")
        #expect(TimeLine("zrD").trust == "uuu")
    }

    @Test func `one missed departure ends the trust for seven days`() {
        var line = TimeLine("z rDz D", trust: .trusted)
        #expect(line.trust == "ttttttd")
        let until = line.now + MotionSource.distrustDuration
        #expect(line.sources.sources[0].distrustedUntil == until)
        // Its reports still cause checks.
        line.pass("zr")
        #expect(line.answers.hasSuffix(" c") && line.trust.hasSuffix("dd"))
        line.pass(String(repeating: " ", count: 7 * 1440) + "r")
        #expect(line.trust.hasSuffix("du"))
    }

    @Test func `a departure that is retracted proves nothing`() {
        #expect(TimeLine("z D", trust: .trusted).trust == "ttd")
        let line = TimeLine("z Dx", trust: .trusted)
        #expect(line.trust == "ttdt" && line.sources.restingSince == line.now)
        var reported = TimeLine("zrDx")
        #expect(reported.sources.sources[0].departures == 0)
        reported.pass("rD")
        #expect(reported.sources.sources[0].departures == 1)
    }

    @Test func `checks by reports become rarer while they find no departure`() {
        let line = TimeLine("z" + String(repeating: "r", count: 34))
        #expect(line.answers == " ccscssscsssssssc" + "sssssssssc" + "ssssssss")
        // The seventh within an hour is one too many if it finds nothing within a minute.
        var nervous = line
        nervous.pass("rrr")
        #expect(nervous.trust.hasSuffix("uun") && nervous.answers.hasSuffix("sc."))
        // A departure begins again.
        var departed = line
        departed.pass("Dzr")
        #expect(departed.answers.hasSuffix("c") && departed.trust.hasSuffix("uuu"))
        #expect(departed.sources.sources[0].falseChecks(at: departed.now) == 1)
    }

    @Test func `the seventh check in an hour costs no trust if it finds a departure`() {
        var line = TimeLine("z" + String(repeating: "r", count: 36), trust: .trusted)
        #expect(line.answers.hasSuffix("sc") && line.answers.count { $0 == "c" } == 7)
        var departed = line
        departed.pass("Dzrr")
        #expect(departed.trust.allSatisfy { $0 == "t" })
        line.pass("r")
        #expect(line.trust.hasSuffix("tn") && line.answers.hasSuffix("."))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a source stays trusted until seven checks in an hour found nothing, and no longer`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sources = TimeLine("z", trust: .trusted).sources
        var (now, checks) = (Instant.zero + .seconds(60), [Instant]())
        for _ in 0..<500 {
            let longest = [30.0, 300, 700, 2000][Int.random(in: 0..<4, using: &random)]
            now = now + .seconds(Double.random(in: 1..<longest, using: &random))
            let response = sources.report(from: "s", at: now)
            let isFrequent = checks.last.map { last in
                now - last >= .seconds(60) && now - last < .seconds(3600)
                    && checks.count { last - $0 < .seconds(3600) } > 6
            }
            #expect(sources.sources[0].trust == (isFrequent == true ? .nervous : .trusted))
            if isFrequent == true { return }
            guard case .check = response else { continue }
            sources.recordCheck(from: "s", at: now)
            checks.append(now)
        }
    }

    @Test func `a report hours before a departure is found proves nothing`() {
        for (report, departures) in [(1800.0, 0), (13_700, 0), (13_900, 1)] {
            var sources = TimeLine("z").sources
            _ = sources.report(from: "s", at: .zero + .seconds(report))
            // Since the first half hour there was no sky.
            sources.record(.becameMoving(since: .zero + .seconds(1800)), at: .zero + .seconds(4 * 3600))
            #expect(sources.sources[0].departures == departures && sources.sources[0].trust == .unproven)
        }
    }

    @Test func `checks of more than a day ago do not count`() {
        let day = String(repeating: String(repeating: " ", count: 99) + "r", count: 13)
        #expect(TimeLine("z" + day + "  r").trust.hasSuffix("n"))
        #expect(!TimeLine("z" + day + String(repeating: " ", count: 3 * 1440) + "r").trust.contains("n"))
    }

    @Test func `a departure that is retracted does not bring back what was forgotten`() {
        for forgets in [{ $0.forget("s") }, { $0.setOrigin("iio b", of: "s") }] as [(inout MotionSources) -> Void] {
            var line = TimeLine("z D", trust: .trusted)
            line.sources.setDevices(["s"])
            forgets(&line.sources)
            line.pass("x")
            #expect(line.trust.hasSuffix("u"))
        }
    }

    @Test func `a trial causes a check and proves nothing`() {
        var line = TimeLine("z", trust: .trusted)
        let first = line.sources.report(from: "s", isTrial: true, at: line.now)
        line.sources.recordCheck(from: nil, at: line.now)
        let second = line.sources.report(from: "s", isTrial: true, at: line.now)
        #expect(first == .check(isLong: true) && second == .shorterSleep)
        #expect(line.sources.sources[0].reports == 0 && line.sources.sources[0].falseChecks(at: line.now) == 0)
        line.pass("D")
        #expect(line.trust.hasSuffix("d"))
    }

    @Test(arguments: [(MotionTrust.trusted, 20, 72, 72), (.unproven, 120, 24, 24), (.unproven, 100, 24, 13)])
    func `a source that is not trusted may cause fewer checks in a day`(
        trust: MotionTrust, minutes: Int, reports: Int, checks: Int
    ) {
        let period = String(repeating: " ", count: minutes - 1) + "r"
        let line = TimeLine("z" + String(repeating: period, count: reports), trust: trust)
        #expect(line.answers.count { $0 == "c" } == checks && line.trust.contains("n") == (checks < reports))
    }

    @Test func `a report causes nothing while the device moves or no receiver sleeps`() {
        let line = TimeLine("rzrDr", looks: false)
        #expect(line.answers == ". c .")
        #expect(line.sources.sources[0].falseChecks(at: line.now) == 0)
    }

    @Test func `only the silence of a trusted source at rest makes checks rare`() {
        #expect(TimeLine("z   ").sources.quietSince == nil)
        var line = TimeLine("z", trust: .trusted)
        #expect(line.sources.quietSince == line.now && !line.sources.makesChecksRare(at: line.now + .seconds(119)))
        #expect(line.sources.makesChecksRare(at: line.now + .seconds(120)))
        line.pass("  r")
        #expect(line.sources.quietSince == line.now)
        line.sources.policy = .wakeOnly
        #expect(line.sources.quietSince == nil)
        line.sources.policy = .auto
        // A source that is not trusted breaks the silence too, but does not make one.
        _ = line.sources.report(from: "other", at: line.now + .seconds(30))
        #expect(line.sources.quietSince == line.now + .seconds(30))
        line.pass("rD")
        #expect(line.sources.quietSince == nil)
    }

    @Test func `with the policy off reports cause nothing, and departures prove nothing`() {
        var line = TimeLine("z")
        line.sources.policy = .off
        line.pass("r")
        #expect(line.answers == " ." && line.sources.sources[0].reports == 0)
        line.pass("D")
        #expect(line.sources.sources[0].trust == .unproven)
    }

    @Test func `a source that cannot report is neither trusted nor distrusted`() {
        var line = TimeLine("z")
        var source = MotionSource(name: "s", trust: .trusted)
        source.isAvailable = false
        line.sources.add([source])
        #expect(line.sources.quietSince == nil)
        line.pass("D")
        #expect(line.trust.hasSuffix("t"))
        // Its report shows that it can.
        line.pass("zr")
        #expect(line.sources.quietSince == line.now)
    }

    @Test func `an expired distrust is not shown, and what was proven is forgotten on demand or with its origin`() {
        var line = TimeLine("z D")
        let end = line.now + MotionSource.distrustDuration
        #expect(line.sources.sources[0].current(at: end - .seconds(1)).trust == .deaf)
        let later = line.sources.sources[0].current(at: end)
        #expect(later.trust == .unproven && later.distrustedUntil == nil && !later.hasProof)
        line.sources.setOrigin("iio a", of: "s")
        #expect(line.trust.hasSuffix("d") && !line.sources.sources[0].hasProof)
        line.sources.add([MotionSource(name: "s", origin: "iio a", trust: .trusted)])
        let revision = line.sources.revision
        line.sources.setOrigin("iio a", of: "s")
        #expect(line.sources.sources[0].hasProof && line.sources.revision == revision)
        line.sources.setOrigin("iio b", of: "s")
        #expect(!line.sources.sources[0].hasProof && line.sources.revision > revision)
        line.sources.setDevices(["s"])
        #expect(line.sources.forget("s") && line.sources.sources.count == 1)
        line.sources.setDevices([])
        #expect(line.sources.forget("s") && line.sources.sources.isEmpty && !line.sources.forget("s"))
    }

    @Test func `reports under new names do not change what was proven, nor displace devices`() {
        var sources = MotionSources()
        sources.add((0..<16).map { MotionSource(name: "t\($0)", trust: .trusted) })
        sources.setDevices(["tilt"])
        #expect(sources.sources.count == 16 && sources.sources.last?.name == "tilt")
        let devices = (0..<16).map { "d\($0)" }
        sources.setDevices(devices)
        for number in 0..<40 { _ = sources.report(from: "s\(number)", at: .zero) }
        #expect(sources.sources.map(\.name) == devices && sources.revision == 0)
    }

    @Test func `there are at most sixteen sources, and those that have proven something stay`() {
        var sources = MotionSources()
        sources.add([MotionSource(name: "kept", departures: 1)])
        for number in 0..<40 { _ = sources.report(from: "s\(number)", at: .zero) }
        #expect(sources.sources.count == 16 && sources.sources.first?.name == "kept")
        #expect(sources.sources.last?.name == "s39")
        sources.add((0..<16).map { MotionSource(name: "t\($0)", trust: .trusted) })
        let response = sources.report(from: "late", at: .zero)
        #expect(response == .nothing)
        #expect(!sources.sources.contains { $0.name == "late" })
    }
}

/// Reports that the core passes to its planners.
@Suite("Motion reports in the core")
struct MotionReportTests {
    /// A stream at rest, whose receiver sleeps.
    private func resting(trust: MotionTrust? = nil, receiver: String? = nil) -> Stage {
        var stage = Stage()
        stage.locator.emitsPlans = true
        if let trust { stage.locator.motion.add([MotionSource(name: "s", trust: trust)]) }
        stage.attach(1)
        stage.subscribe(1, configuration: .default, receiver: receiver)
        stage.fixes(1, from: 0, seconds: 100)
        return stage
    }

    private func isAsleep(_ stage: Stage) -> Bool {
        if case .sleep? = stage.plans(1).last { true } else { false }
    }

    @Test func `a report wakes the receiver and tells clients nothing`() {
        var stage = resting()
        #expect(isAsleep(stage) && stage.locator.motion.restingSince != nil)
        stage.clearEffects()
        stage.locator.reportMotion(from: "s", at: stage.now)
        #expect(stage.locator.motion.revision == 0)
        stage.effects = stage.locator.takeEffects()
        #expect(stage.plans(1) == [.run(RunPlan(isDutyCycleFix: true))])
        #expect(stage.effects.count == 1)
        #expect(stage.locator.motion.sources.map { $0.falseChecks(at: stage.now) } == [1])
        // The device is in its place: the receiver sleeps again.
        stage.fixes(1, from: 110, seconds: 15)
        #expect(isAsleep(stage) && stage.takeKinds(1).isEmpty)
    }

    @Test func `a departure is a decision of fixes, and proves the source that reported it`() {
        var stage = resting()
        stage.locator.reportMotion(from: "s", at: stage.now)
        stage.wait(2)
        stage.clearEffects()
        stage.drive(1, from: 105, seconds: 20)
        #expect(stage.takeKinds(1).first == "setOff")
        #expect(stage.locator.motion.restingSince == nil)
        #expect(stage.locator.motion.sources.map(\.departures) == [1])
        #expect(stage.locator.motion.sources.map { $0.falseChecks(at: stage.now) } == [0])
    }

    @Test func `the rest ends with the last request that needs to know, and no departure is missed then`() {
        var stage = resting(trust: .trusted)
        // A second stream, whose detector needs longer, does not end the rest.
        let since = stage.locator.motion.restingSince
        stage.subscribe(2, configuration: .automotiveNavigation)
        stage.fixes(1, from: 100, seconds: 10)
        #expect(stage.locator.motion.restingSince == since)
        stage.locator.cancel([RequestID(1), RequestID(2)])
        stage.wait(1)
        #expect(stage.locator.motion.restingSince == nil)
        stage.subscribe(3, configuration: .default)
        stage.drive(1, from: 130, seconds: 30)
        #expect(stage.locator.motion.sources.map(\.trust) == [.trusted])
    }

    @Test(arguments: [nil, "tty1"])
    func `a departure that no source reports ends the trust`(receiver: String?) {
        var stage = resting(trust: .trusted, receiver: receiver)
        stage.wait(30)
        stage.drive(1, from: 130, seconds: 20)
        #expect(stage.locator.motion.sources.map(\.trust) == [.deaf])
    }

    @Test func `before the host sleeps a running receiver is put to sleep, and afterwards there is a fix at once`() {
        var stage = resting(trust: .trusted)
        stage.locator.reportMotion(from: "s", at: stage.now)
        stage.wait(1)
        stage.locator.setSuspended(true, at: stage.now)
        stage.effects = stage.locator.takeEffects()
        #expect(stage.plans(1).last == .sleepIndefinitely)
        stage.wait(3600)
        stage.locator.setSuspended(false, at: stage.now)
        stage.effects = stage.locator.takeEffects()
        #expect(stage.plans(1) == [.run(RunPlan(isDutyCycleFix: true))])
        // No source could report the departure during the sleep.
        stage.drive(1, from: 130, seconds: 20)
        #expect(stage.takeKinds(1).contains("setOff") && stage.locator.motion.sources.map(\.trust) == [.trusted])
    }

    @Test func `a receiver that is lost keeps no rest for those that are left`() {
        var stage = Stage()
        stage.locator.motion.add([MotionSource(name: "s", trust: .trusted)])
        for number in 1...2 {
            stage.attach(number)
            stage.subscribe(number, configuration: .default, receiver: "tty\(number)")
        }
        for second in 0..<100 {
            for number in 1...2 { stage.fix(number, second: second) }
            stage.wait(1)
        }
        stage.detach(1)
        stage.fixes(2, from: 100, seconds: 620)
        #expect(stage.locator.motion.restingSince != nil)
        stage.drive(2, from: 720, seconds: 20)
        #expect(stage.locator.motion.restingSince == nil && stage.locator.motion.sources.map(\.trust) == [.deaf])
    }

    @Test func `a receiver that nobody needs is not woken after the sleep of the host`() {
        var stage = resting()
        stage.locator.reportMotion(from: "s", at: stage.now)
        stage.locator.cancel([RequestID(1)])
        stage.wait(1)
        stage.locator.setSuspended(true, at: stage.now)
        stage.wait(5)
        stage.locator.setSuspended(false, at: stage.now)
        stage.effects += stage.locator.takeEffects()
        #expect(stage.plans(1).last == .sleepIndefinitely)
    }

    @Test func `a receiver that sleeps already is left asleep, and nothing is due while the host sleeps`() {
        var stage = resting()
        stage.clearEffects()
        stage.locator.setSuspended(true, at: stage.now)
        stage.wait(600)
        stage.effects += stage.locator.takeEffects()
        #expect(stage.plans(1).isEmpty)
    }

    @Test func `with a trusted source the receiver sleeps for an hour, without one as before`() {
        var stage = resting(trust: .trusted)
        var second = 100
        var longest = 0.0
        for _ in 0..<4 {
            guard case .sleep(let until)? = stage.plans(1).last else { Issue.record("it is awake"); return }
            longest = max(longest, (until - stage.now).seconds)
            let pause = min((until - stage.now).seconds, 300)
            second += Int(pause) + 2
            stage.wait(pause + 1)
            stage.fix(1, second: second % 3600)
            stage.wait(1)
        }
        #expect((3590...3600).contains(longest))
        stage.locator.motion.policy = .wakeOnly
        #expect(!stage.locator.motion.makesChecksRare(at: stage.now))
    }
}
