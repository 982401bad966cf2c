import Chronology
import Geodesy
import Geofencing
import Locator
import Positioning
import TestSupport
import Testing

/// Draws what the core requests of its receivers and sends to its clients over hours, as
/// `Tests/Timelines` has it.
@Suite struct CoreTimelineTests {
    @Test(arguments: CoreLife.demands.keys.sorted())
    func `rest, movement, tunnels, silence and losses`(demand: String) throws {
        var life = CoreLife()
        life.begin(demand)
        life.go(700, metresPerSecond: 0)
        life.go(200, metresPerSecond: 12)
        life.go(2000, sky: .blocked)
        life.go(100, metresPerSecond: 12)
        life.go(1500, sky: .blocked, metresPerSecond: 3)
        life.go(4000, metresPerSecond: 0)
        life.go(900, sky: .silent)
        life.go(60, metresPerSecond: 12)
        life.set(.absent("it is missing", lost: true))
        life.go(100, sky: .silent)
        life.set(.open)
        life.go(60, sky: .silent)
        life.go(300, metresPerSecond: 12)
        life.end()
        life.go(400, metresPerSecond: 0)
        try life.timeline.expect("core-\(demand)")
    }
}

/// A core with one or two receivers that follow their plans.
private struct CoreLife {
    enum Sky { case open, blocked, silent }

    static let demands: [String: @Sendable (inout Stage) -> Void] = [
        "navigation": { $0.subscribe(1, configuration: .automotiveNavigation) },
        "fitness": { $0.subscribe(1, configuration: .fitness) },
        "hundred-metres": { $0.subscribe(1, options: StreamOptions(desiredAccuracy: .hundredMetres)) },
        "kilometre": {
            $0.subscribe(1, options: StreamOptions(desiredAccuracy: .kilometre, maximumDelay: .seconds(600)))
        },
        "slow": {
            $0.subscribe(
                1, configuration: .airborne,
                options: StreamOptions(minimumInterval: .seconds(40), pausesWhenStationary: false))
        },
        "significant": { $0.subscribe(1, options: StreamOptions(isSignificantChange: true)) },
        "request": { $0.locate(1, timeout: 600) },
        "visits": { $0.watchVisits(1) },
        "fence": { stage in
            guard let centre = Coordinate(latitude: 47.29, longitude: 8.565265) else { return }
            let shape = FenceShape.circle(center: centre, radius: 200)
            stage.watch([GeofenceEngine.Entry(id: ConditionID(1), condition: FenceCondition(shape: shape))])
        },
        "two-receivers": { stage in
            stage.attach(2)
            stage.subscribe(1, configuration: .fitness)
            stage.subscribe(2, receiver: "tty2", options: StreamOptions(isPassive: true))
        },
    ]

    private var stage = Stage()
    private(set) var timeline = Timeline()
    private var metres = 0.0
    private var receivers = 1

    init() {
        stage.locator.emitsPlans = true
        stage.locator.emitsReadPolicies = true
        stage.attach(1)
        note()
    }

    mutating func begin(_ demand: String) {
        CoreLife.demands[demand]?(&stage)
        if demand == "two-receivers" { receivers = 2 }
        note()
    }

    mutating func end() {
        timeline.note("end", at: stage.now)
        stage.locator.cancel([RequestID(1), RequestID(2)])
        stage.locator.removeConditions([ConditionID(1)], at: stage.now)
        note()
    }

    mutating func set(_ status: PortStatus) {
        timeline.note("\(status)", at: stage.now)
        stage.set(status, of: 1)
        note()
    }

    mutating func go(_ seconds: Int, sky: Sky = .open, metresPerSecond speed: Double = 0) {
        timeline.note("\(sky) sky, \(speed) m/s", at: stage.now)
        for _ in 0..<seconds {
            for number in 1...receivers where sky != .silent && runs(number) {
                stage.receive(burst(hasFix: sky == .open, speed: speed), from: number)
                note()
            }
            metres += speed
            stage.wait(1)
            note()
        }
    }

    /// Whether the last plan of a receiver lets it run now.
    private func runs(_ number: Int) -> Bool {
        switch plans[number] {
        case .sleep(let until)?: until <= stage.now
        case .run?: true
        default: false
        }
    }

    private var plans: [Int: ReceiverPlan] = [:]

    private mutating func note() {
        var texts: [String] = []
        for effect in stage.effects {
            if case .receiver(.plan(let id, let plan)) = effect { plans[id.rawValue] = plan }
            if let text = CoreLife.text(effect) { texts.append(text) }
        }
        stage.clearEffects()
        timeline.note(texts, at: stage.now, next: stage.locator.deadline())
    }

    private func burst(hasFix: Bool, speed: Double) -> String {
        guard hasFix else { return line("GPGGA,,,,,,0,00,99.99,,,,,,") + line("GPRMC,,V,,,,,,,,,,N") }
        let second = Int((stage.now - .zero).seconds)
        let clock = [second / 3600 + 6, second / 60 % 60, second % 60].map { String($0 + 100).suffix(2) }.joined()
        let thousandths = Int((17.11399 + metres / 1852) * 100_000)
        let latitude = "47\(thousandths / 100_000).\(String(thousandths % 100_000 + 100_000).dropFirst())"
        return line("GPGGA,\(clock).00,\(latitude),N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,")
            + line("GPRMC,\(clock).00,A,\(latitude),N,00833.91590,E,\(speed * 1.94),0.0,211126,,,A")
    }

    /// Describes an effect; nil for what each epoch has.
    private static func text(_ effect: Effect) -> String? {
        switch effect {
        case .request(.publish(let update, let streams)):
            guard update.stationary || update.hasDeparted || update.location == nil || update.unavailability != nil
            else { return nil }
            let place = update.location.map { "\($0.receiver) \($0.age.seconds) s old" } ?? "no place"
            let kind = update.stationary ? " at rest" : update.hasDeparted ? " set off" : ""
            return
                "update \(streams.map(\.rawValue)) \(place)\(kind) \(update.unavailability.map { "\($0.cause)" } ?? "")"
        case .request(.answer(let id, let location, let age, _)):
            return "answer \(id.rawValue) \(location.receiver) \(age.seconds)"
        case .request(.reject(let id, let reason)): return "reject \(id.rawValue) \(reason.cause)"
        case .receiver(.plan(let id, .run(let plan))):
            let extras = (plan.allowsPowerSave ? ", saves" : "") + (plan.isDutyCycleFix ? ", one fix" : "")
            return "tty\(id.rawValue) runs, \(plan.period.seconds) s, \(plan.dynamics)\(extras)"
        case .receiver(.plan(let id, .sleep(let until))):
            return "tty\(id.rawValue) sleeps until \(Timeline.text(until - .zero))"
        case .receiver(.plan(let id, let plan)): return "tty\(id.rawValue) \(plan)"
        case .receiver(.readPolicy(let id, .interval(let interval))):
            return "tty\(id.rawValue) reads each \(interval.seconds) s"
        case .receiver(.readPolicy(let id, let policy)): return "tty\(id.rawValue) reads \(policy)"
        case .visit(let visit, _): return "visit \(visit.map { $0.departure == nil ? "began" : "ended" } ?? "none")"
        case .fence(.changed(let events)): return "fence \(events.map { "\($0.kind)" })"
        case .fence(.determined): return "fence determined"
        case .heading, .receiver(.epoch), .receiver(.changed): return nil
        }
    }
}
