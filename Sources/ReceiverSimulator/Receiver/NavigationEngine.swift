import Chronology
import Geodesy
import NMEA

/// The receiver proper: knows the truth, sees the sky, adds its error, and says what it has found once an epoch.
public struct NavigationEngine: BurstSource {
    /// What happens to it.
    public struct Scenario: Sendable {
        /// Where it goes.
        public var route: Route = .circuit
        /// Begins the route again at its end.
        public var loops = true
        /// UTC when it is switched on.
        public var startTime: UTCTime
        /// Fixes a second, above 0 and at most 50.
        public var rate = 1.0
        /// Has neither time nor orbits at first.
        public var coldStart = false
        /// Added to every date it states; -7168 for a receiver that missed a rollover of the GPS week.
        public var dateOffset = 0
        /// When no satellite comes in.
        public var outages: [Fault] = []
        /// Standard deviation of its position along each horizontal axis, metres.
        public var noise = 1.5
        /// Chance.
        public var seed: UInt64 = 1

        /// A drive round the built-in circuit from a moment on.
        public init(startTime: UTCTime) {
            self.startTime = startTime
        }
    }

    private enum State {
        /// Has said nothing yet.
        case off
        /// Looking for satellites; `needed` until the first fix.
        case acquiring(since: Instant.Span, needed: Instant.Span, cold: Bool)
        /// Has a fix.
        case tracking
        /// Had a fix; no satellite comes in.
        case blocked
    }

    private var profile: ReceiverProfile
    private let scenario: Scenario
    private let origin: Instant
    private(set) var period: Instant.Span
    private let sky: SkyModel
    private var noise: NoiseModel
    private var encoder: SentenceEncoder
    private var state = State.off
    private var epoch = 0
    /// Where the present grid of epochs begins, and the number of the epoch there.
    private var firstEpoch: Instant.Span
    private var firstIndex = 0
    private var lastCourse = 0.0

    /// A receiver that is switched on at an instant.
    public init(profile: ReceiverProfile, scenario: Scenario, origin: Instant) {
        self.profile = profile
        self.scenario = scenario
        self.origin = origin
        let rate = min(max(scenario.rate, 0.001), 50)
        period = .milliseconds(max(Int64((1000 / rate).rounded()), 1))
        firstEpoch = .zero
        sky = SkyModel(seed: scenario.seed, constellations: profile.constellations)
        noise = NoiseModel(sigma: scenario.noise, seed: scenario.seed)
        encoder = SentenceEncoder(layout: profile.layout)
        firstEpoch = gridPoint(from: .zero)
    }

    /// The first epoch at or after a time since the start: epochs lie on the grid of UTC, shifted by the phase of the make.
    private func gridPoint(from elapsed: Instant.Span) -> Instant.Span {
        let grid = period.nanoseconds / 1_000_000
        let whole = (elapsed.nanoseconds + 999_999) / 1_000_000
        let past = (scenario.startTime.milliseconds + whole - Int64(profile.phase)) % grid
        return .milliseconds(whole + (past == 0 ? 0 : past < 0 ? -past : grid - past))
    }

    /// When it next speaks: at switching on, then a little after each epoch.
    public var deadline: Instant? {
        if case .off = state { return origin }
        return origin + elapsed + latency
    }

    /// Time from the measurement to the first byte of its report.
    private var latency: Instant.Span { min(.milliseconds(60), Instant.Span(nanoseconds: period.nanoseconds / 4)) }

    /// Time of the epoch at hand since the start.
    private var elapsed: Instant.Span { firstEpoch + Instant.Span(nanoseconds: period.nanoseconds &* Int64(epoch - firstIndex)) }

    /// The boot messages, then the sentences of one epoch after the other.
    public mutating func burst() -> Burst {
        if case .off = state {
            for sentence in profile.bootSentences { encoder.sentence(sentence) }
            let needed = scenario.coldStart ? profile.coldStart : 0
            state = scenario.coldStart ? .acquiring(since: .zero, needed: .seconds(needed), cold: true) : .tracking
            return Burst(instant: origin, bytes: encoder.take())
        }
        let instant = origin + elapsed + latency
        advanceState()
        let utc = scenario.startTime.advanced(by: elapsed)
        let satellites = sky.view(at: utc, reception: reception)
        write(solution(at: utc, satellites), satellites)
        noise.advance(period)
        epoch += 1
        return Burst(instant: instant, bytes: encoder.take())
    }

    private mutating func advanceState() {
        let blocked = scenario.outages.contains { $0.isActive(at: elapsed) }
        switch state {
        case .off: break
        case .acquiring(_, let needed, let cold):
            if blocked { state = .acquiring(since: elapsed, needed: needed, cold: cold) } else if progress >= 1 { state = .tracking }
        case .tracking:
            if blocked { state = .blocked }
        case .blocked:
            // Orbits are still good, so the first satellites serve at once: a hot start.
            if !blocked { state = .acquiring(since: elapsed, needed: .milliseconds(1500), cold: false) }
        }
    }

    /// The share of the way to a fix, 0 ... 1 and more.
    private var progress: Double {
        guard case .acquiring(let since, let needed, _) = state, needed > .zero else { return 1 }
        return (elapsed - since).seconds / needed.seconds
    }

    private var reception: SkyModel.Reception {
        switch state {
        case .off, .blocked: .blocked
        case .tracking: .clear
        case .acquiring(_, _, let cold): cold ? .searching(progress: progress) : .reacquiring(progress: progress)
        }
    }

    /// From cold the time comes with the first satellites, the date a little later.
    private func clock(_ utc: UTCTime) -> (time: Int?, date: CivilDate?) {
        let date = CivilDate(daysSince1970: utc.date.daysSince1970 + scenario.dateOffset)
        guard case .acquiring(_, _, true) = state, progress < 0.6 else { return (utc.millisecondsOfDay, date) }
        if let boot = profile.bootClock?.advanced(by: elapsed) { return (boot.millisecondsOfDay, boot.date) }
        return progress < 0.4 ? (nil, nil) : (utc.millisecondsOfDay, nil)
    }
}

// What somebody who commands the receiver can change.
extension NavigationEngine {
    /// Whether it has a fix.
    var isTracking: Bool {
        if case .tracking = state { return true }
        return false
    }

    /// Whether it has said its first words.
    var isOn: Bool {
        if case .off = state { return false }
        return true
    }

    /// Its sentences and their order.
    var plan: SentencePlan {
        get { profile.plan }
        set { profile.plan = newValue }
    }

    /// Fixes every `period` from now on, a whole number of milliseconds above 0.
    mutating func retune(_ period: Instant.Span, at now: Instant) {
        guard period >= .milliseconds(1), period != self.period else { return }
        self.period = period
        rebase(after: now)
    }

    /// Begins to look for satellites anew, after a rest or a restart.
    mutating func resume(at now: Instant, needed: Instant.Span, isCold: Bool) {
        let slept = now - (origin + elapsed)
        if slept > .zero { noise.advance(slept) }
        rebase(after: now)
        state = .acquiring(since: now - origin, needed: needed, cold: isCold)
    }

    /// What it says at power-up.
    mutating func bootMessages() -> [UInt8] {
        for sentence in profile.bootSentences { encoder.sentence(sentence) }
        return encoder.take()
    }

    private mutating func rebase(after now: Instant) {
        firstEpoch = gridPoint(from: now - origin)
        firstIndex = epoch
    }
}

// What is measured, and what is said.
extension NavigationEngine {
    private mutating func solution(at utc: UTCTime, _ satellites: [SentenceEncoder.Satellite]) -> SentenceEncoder.Solution {
        var solution = SentenceEncoder.Solution()
        (solution.time, solution.date) = clock(utc)
        let used = Set(satellites.filter(\.used).map { $0.system.rawValue * 100 + $0.number })
        guard case .tracking = state, let dop = DilutionOfPrecision(satellites: satellites) else {
            // Makes that keep their units keep their zeros too.
            if profile.layout.keepsUnits { (solution.speed, solution.course) = (0, 0) }
            return solution
        }
        solution.fix = .autonomous
        solution.satellitesUsed = used.count
        (solution.pdop, solution.hdop, solution.vdop, solution.tdop) = (dop.position, dop.horizontal, dop.vertical, dop.time)
        measure(&solution)
        return solution
    }

    private mutating func measure(_ solution: inout SentenceEncoder.Solution) {
        let truth = scenario.route.sample(at: elapsed, looping: scenario.loops)
        let place = LocalPlane(origin: truth.coordinate).coordinate(at: .init(east: noise.east, north: noise.north))
        (solution.latitude, solution.longitude) = (place.latitude, place.longitude)
        solution.altitude = truth.altitude + noise.up
        solution.geoidSeparation = NavigationEngine.geoidSeparation
        solution.climb = truth.climb
        let speed = max(truth.speed + noise.speedError(), 0)
        solution.speed = speed
        if truth.speed > 0.5 {
            let course = truth.course + noise.speedError() / speed * 57.3
            lastCourse = (course + 360).truncatingRemainder(dividingBy: 360)
        }
        if speed >= profile.courseThreshold { solution.course = lastCourse }
        if profile.printsMagneticVariation { solution.magneticVariation = NavigationEngine.magneticVariation }
        let error = max(noise.sigma, 0.1)
        (solution.latitudeError, solution.longitudeError, solution.altitudeError) = (error, error, error * 1.5)
    }

    /// Metres; that of London, everywhere.
    private static let geoidSeparation = 45.9
    /// Degrees east; that of London, everywhere.
    private static let magneticVariation = 0.9

    private mutating func write(_ solution: SentenceEncoder.Solution, _ satellites: [SentenceEncoder.Satellite]) {
        for entry in profile.plan.entries where epoch % entry.every == 0 {
            write(entry.kind, solution, satellites)
        }
    }

    private mutating func write(_ kind: SentencePlan.Kind, _ s: SentenceEncoder.Solution, _ satellites: [SentenceEncoder.Satellite]) {
        switch kind {
        case .gga: encoder.gga(s)
        case .rmc: encoder.rmc(s)
        case .gll: encoder.gll(s)
        case .gns: encoder.gns(s, systems: sky.systems)
        case .gsa: encoder.gsa(s, satellites: satellites, systems: sky.systems)
        case .gsv: encoder.gsv(satellites: satellites, systems: sky.systems)
        case .gst: encoder.gst(s)
        case .gbs: encoder.gbs(s)
        case .vtg: encoder.vtg(s)
        case .zda: encoder.zda(s)
        case .dtm: encoder.dtm()
        case .hdt: encoder.hdt(s.course)
        case .ths: encoder.ths(s.course)
        case .txt: encoder.txt(profile.epochText, kind: 1, talker: "GP")
        case .pubx00: encoder.pubx00(s)
        case .pgrme: encoder.pgrme(s)
        }
    }
}
