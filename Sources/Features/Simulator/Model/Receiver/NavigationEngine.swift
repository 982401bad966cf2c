import Chronology
import Geodesy
import NMEA

/// The measurement engine of a simulated receiver. It adds errors to the true position and outputs
/// sentences once per epoch.
package struct NavigationEngine: BurstSource {
    /// The conditions of the simulation.
    package struct Scenario: Sendable {
        /// The route of the receiver.
        package var route: Route = .circuit
        /// Whether the route restarts at its end.
        package var loops = true
        /// UTC at power-on.
        package var startTime: UTCTime
        /// Fixes per second, above 0 and at most 50.
        package var rate = 1.0
        /// Whether the receiver starts without time and ephemerides.
        package var coldStart = false
        /// Days added to every reported date; -7168 for a receiver that missed a GPS week rollover.
        package var dateOffset = 0
        /// When no satellites are received.
        package var outages: [Fault] = []
        /// Standard deviation of the position error along each horizontal axis, metres.
        package var noise = 1.5
        /// Random seed.
        package var seed: UInt64 = 1

        /// Creates a scenario on the built-in circuit that begins at this time.
        package init(startTime: UTCTime) {
            self.startTime = startTime
        }
    }

    private enum State {
        /// Before the boot messages.
        case off
        /// Searching for satellites; `needed` is the time to the first fix.
        case acquiring(since: Instant.Span, needed: Instant.Span, cold: Bool)
        /// The receiver has a fix.
        case tracking
        /// The receiver had a fix and no longer receives satellites.
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
    /// The first epoch of the current grid, as time since the start. `firstIndex` is its epoch
    /// number.
    private var firstEpoch: Instant.Span
    private var firstIndex = 0
    private var lastCourse = 0.0

    /// Creates a receiver that is powered on at `origin`.
    package init(profile: ReceiverProfile, scenario: Scenario, origin: Instant) {
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

    /// Returns the first epoch at or after a time since the start. Epochs lie on the UTC grid,
    /// shifted by the model's phase.
    private func gridPoint(from elapsed: Instant.Span) -> Instant.Span {
        let grid = period.nanoseconds / 1_000_000
        let milliseconds = (elapsed.nanoseconds + 999_999) / 1_000_000
        let phase = (scenario.startTime.milliseconds + milliseconds - Int64(profile.phase)) % grid
        return .milliseconds(milliseconds + (phase == 0 ? 0 : phase < 0 ? -phase : grid - phase))
    }

    /// When the engine next sends a burst: at power-on, then shortly after each epoch.
    package var deadline: Instant? {
        if case .off = state { return origin }
        return origin + elapsed + latency
    }

    /// Time from the measurement to the first byte of its sentences.
    private var latency: Instant.Span { min(.milliseconds(60), Instant.Span(nanoseconds: period.nanoseconds / 4)) }

    /// Time of the current epoch since the start.
    private var elapsed: Instant.Span {
        firstEpoch + period * (epoch - firstIndex)
    }

    /// Returns the boot messages first, then the sentences of one epoch per call.
    package mutating func burst() -> Burst {
        if case .off = state {
            for sentence in profile.bootSentences { encoder.sentence(sentence) }
            let needed = scenario.coldStart ? profile.coldStart : 0
            state = scenario.coldStart ? .acquiring(since: .zero, needed: .seconds(needed), cold: true) : .tracking
            return Burst(instant: origin, bytes: encoder.takeBytes())
        }
        let instant = origin + elapsed + latency
        advanceState()
        let utc = scenario.startTime.advanced(by: elapsed)
        let satellites = sky.view(at: utc, acquisition: acquisition)
        write(solution(at: utc, from: satellites), satellites: satellites)
        noise.advance(period)
        epoch += 1
        return Burst(instant: instant, bytes: encoder.takeBytes())
    }

    private mutating func advanceState() {
        let blocked = scenario.outages.contains { $0.isActive(at: elapsed) }
        switch state {
        case .off: break
        case .acquiring(_, let needed, let cold):
            if blocked {
                state = .acquiring(since: elapsed, needed: needed, cold: cold)
            } else if progress >= 1 {
                state = .tracking
            }
        case .tracking:
            if blocked { state = .blocked }
        case .blocked:
            // The ephemerides are still valid, so the receiver performs a hot start.
            if !blocked { state = .acquiring(since: elapsed, needed: .milliseconds(1500), cold: false) }
        }
    }

    /// Progress of the acquisition, 0 ... 1; above 1 when it is complete.
    private var progress: Double {
        guard case .acquiring(let since, let needed, _) = state, needed > .zero else { return 1 }
        return (elapsed - since).seconds / needed.seconds
    }

    private var acquisition: SkyModel.SatelliteAcquisition {
        switch state {
        case .off, .blocked: .blocked
        case .tracking: .clear
        case .acquiring(_, _, let cold): cold ? .searching(progress: progress) : .reacquiring(progress: progress)
        }
    }

    /// After a cold start the time is known with the first satellites, the date slightly later.
    private func clock(_ utc: UTCTime) -> (time: Int?, date: CivilDate?) {
        let date = CivilDate(daysSince1970: utc.date.daysSince1970 + scenario.dateOffset)
        guard case .acquiring(_, _, true) = state, progress < 0.6 else { return (utc.millisecondsOfDay, date) }
        if let boot = profile.bootClock?.advanced(by: elapsed) { return (boot.millisecondsOfDay, boot.date) }
        return progress < 0.4 ? (nil, nil) : (utc.millisecondsOfDay, nil)
    }
}

// Settings that commands can change.
extension NavigationEngine {
    /// Whether the receiver has a fix.
    var isTracking: Bool {
        if case .tracking = state { return true }
        return false
    }

    /// Whether the receiver has sent its boot messages.
    var isOn: Bool {
        if case .off = state { return false }
        return true
    }

    /// The sentences and their order.
    var plan: SentencePlan {
        get { profile.plan }
        set { profile.plan = newValue }
    }

    /// Sets the fix interval, in whole milliseconds above 0.
    mutating func setPeriod(_ period: Instant.Span, at now: Instant) {
        guard period >= .milliseconds(1), period != self.period else { return }
        self.period = period
        rebase(after: now)
    }

    /// Restarts the satellite search after a sleep or restart.
    mutating func resume(at now: Instant, needed: Instant.Span, isCold: Bool) {
        let slept = now - (origin + elapsed)
        if slept > .zero { noise.advance(slept) }
        rebase(after: now)
        state = .acquiring(since: now - origin, needed: needed, cold: isCold)
    }

    /// Returns the boot messages.
    mutating func bootMessages() -> [UInt8] {
        for sentence in profile.bootSentences { encoder.sentence(sentence) }
        return encoder.takeBytes()
    }

    private mutating func rebase(after now: Instant) {
        firstEpoch = gridPoint(from: now - origin)
        firstIndex = epoch
    }
}

// Measurement and output.
extension NavigationEngine {
    private mutating func solution(
        at utc: UTCTime, from satellites: [SentenceEncoder.Satellite]
    ) -> NavigationSolution {
        var solution = NavigationSolution()
        (solution.time, solution.date) = clock(utc)
        let used = Set(satellites.filter(\.isUsed).map { $0.system.rawValue * 100 + $0.number })
        guard case .tracking = state, let dop = DilutionOfPrecision(satellites: satellites) else {
            // Models that keep unit fields without a fix also output zeros there.
            if profile.layout.writesUnitsOfEmptyValues { (solution.speed, solution.course) = (0, 0) }
            return solution
        }
        solution.fix = .autonomous
        solution.satellitesUsed = used.count
        solution.pdop = dop.position
        solution.hdop = dop.horizontal
        solution.vdop = dop.vertical
        solution.tdop = dop.time
        measure(&solution)
        return solution
    }

    private mutating func measure(_ solution: inout NavigationSolution) {
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
        solution.latitudeError = error
        solution.longitudeError = error
        solution.altitudeError = error * 1.5
    }

    /// Metres; the value of London, used everywhere.
    private static let geoidSeparation = 45.9
    /// Degrees east; the value of London, used everywhere.
    private static let magneticVariation = 0.9

    private mutating func write(_ solution: NavigationSolution, satellites: [SentenceEncoder.Satellite]) {
        for entry in profile.plan.entries where epoch % entry.every == 0 {
            write(entry.kind, solution: solution, satellites: satellites)
        }
    }

    private mutating func write(
        _ kind: SentencePlan.Kind, solution: NavigationSolution, satellites: [SentenceEncoder.Satellite]
    ) {
        switch kind {
        case .gga: encoder.gga(solution)
        case .rmc: encoder.rmc(solution)
        case .gll: encoder.gll(solution)
        case .gns: encoder.gns(solution, systems: sky.systems)
        case .gsa: encoder.gsa(solution, satellites: satellites, systems: sky.systems)
        case .gsv: encoder.gsv(satellites: satellites, systems: sky.systems)
        case .gst: encoder.gst(solution, rangeError: solution.latitudeError.map { $0 * 4 })
        case .gbs: encoder.gbs(solution)
        case .vtg: encoder.vtg(solution)
        case .zda: encoder.zda(solution)
        case .dtm: encoder.dtm()
        case .hdt: encoder.hdt(solution.course)
        case .ths: encoder.ths(solution.course)
        case .txt: encoder.txt(profile.epochText, kind: 1, talker: "GP")
        case .pubx00: encoder.pubx00(solution)
        case .pgrme: encoder.pgrme(solution)
        }
    }
}
