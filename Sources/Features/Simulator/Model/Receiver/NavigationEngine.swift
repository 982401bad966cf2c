import Chronology
import Geodesy
import Glibc
import NMEA

/// The measurement engine of a simulated receiver. It adds errors to the true position and outputs
/// sentences once per epoch.
package struct NavigationEngine: BurstSource {
    /// The conditions of the simulation.
    package struct Scenario: Sendable {
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

    func utc(at now: Instant) -> UTCTime { scenario.startTime.advanced(by: now - origin) }

    /// Shortens a satellite search to a time since its start.
    mutating func limitAcquisition(to limit: Instant.Span) {
        guard case .acquiring(let since, let needed, let cold) = state else { return }
        state = .acquiring(since: since, needed: min(needed, limit), cold: cold)
    }

    /// Shortens a satellite search to a time from now on.
    mutating func limitAcquisition(to limit: Instant.Span, at now: Instant) {
        guard case .acquiring(let since, _, _) = state else { return }
        limitAcquisition(to: now - origin - since + limit)
    }

    /// Prolongs a satellite search.
    mutating func delayAcquisition(by delay: Instant.Span) {
        guard case .acquiring(let since, let needed, let cold) = state else { return }
        state = .acquiring(since: since, needed: needed + delay, cold: cold)
    }

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

/// The dilution of precision: how the geometry of the used satellites amplifies ranging errors.
package struct DilutionOfPrecision: Sendable, Equatable {
    /// The dilutions of precision (PDOP, HDOP, VDOP, TDOP).
    package var position, horizontal, vertical, time: Double

    /// Computes the dilutions from the directions of the used satellites; nil with fewer than four,
    /// or if all lie on a cone.
    ///
    /// It takes the diagonal of the inverse normal matrix of unit vectors (E. Kaplan and C.
    /// Hegarty, "Understanding GPS/GNSS", 3rd ed., section 11.2), with one clock for all
    /// constellations.
    package init?(satellites: [SentenceEncoder.Satellite]) {
        var counted: Set<[Int]> = []
        var normal = Array(repeating: Array(repeating: 0.0, count: 4), count: 4)
        for satellite in satellites
        where satellite.isUsed && counted.insert([satellite.system.rawValue, satellite.number]).inserted {
            guard let elevation = satellite.elevation, let azimuth = satellite.azimuth else { continue }
            let (e, a) = (Double(elevation) * .pi / 180, Double(azimuth) * .pi / 180)
            let row = [cos(e) * sin(a), cos(e) * cos(a), sin(e), 1]
            for i in 0..<4 { for j in 0..<4 { normal[i][j] += row[i] * row[j] } }
        }
        guard counted.count >= 4, let inverse = DilutionOfPrecision.diagonalOfInverse(normal) else { return nil }
        horizontal = (inverse[0] + inverse[1]).squareRoot()
        vertical = inverse[2].squareRoot()
        position = (inverse[0] + inverse[1] + inverse[2]).squareRoot()
        time = inverse[3].squareRoot()
    }

    /// Inverts the matrix by Gauss-Jordan elimination with the largest pivot and returns the
    /// diagonal.
    private static func diagonalOfInverse(_ matrix: [[Double]]) -> [Double]? {
        let n = matrix.count
        var rows = (0..<n).map { i in matrix[i] + (0..<n).map { $0 == i ? 1.0 : 0 } }
        for column in 0..<n {
            let largest = (column..<n).max { abs(rows[$0][column]) < abs(rows[$1][column]) }
            guard let pivot = largest, abs(rows[pivot][column]) > 1e-6 else { return nil }
            rows.swapAt(column, pivot)
            let scale = rows[column][column]
            rows[column] = rows[column].map { $0 / scale }
            for other in 0..<n where other != column {
                let factor = rows[other][column]
                rows[other] = zip(rows[other], rows[column]).map { $0 - factor * $1 }
            }
        }
        let diagonal = (0..<n).map { rows[$0][n + $0] }
        return diagonal.allSatisfy { $0 > 0 && $0.isFinite } ? diagonal : nil
    }
}

/// The slowly varying error of a position: a first-order Gauss-Markov process along each axis.
package struct NoiseModel: Sendable {
    /// Standard deviation along each horizontal axis, metres.
    package let sigma: Double
    /// The current error towards the east, metres.
    package private(set) var east: Double
    /// The current error towards the north, metres.
    package private(set) var north: Double
    /// The current vertical error, metres. Its standard deviation is 1.5 times the horizontal one.
    package private(set) var up: Double
    private var random: RandomSource

    /// Correlation time in seconds, after which the error has lost 63 % of its initial value. It is
    /// the time scale of multipath and ionospheric errors under a fixed sky.
    package static let correlationTime = 120.0

    /// Creates a process in its steady state.
    ///
    /// - Parameters:
    ///   - sigma: Standard deviation in metres, 0 or more; 0 means no error.
    ///   - seed: Random seed; equal seeds give equal errors.
    package init(sigma: Double, seed: UInt64) {
        self.sigma = max(sigma, 0)
        random = RandomSource(seed: seed, purpose: 1)
        east = random.normal() * self.sigma
        north = random.normal() * self.sigma
        up = random.normal() * self.sigma * 1.5
    }

    /// Advances the process in time.
    package mutating func advance(_ span: Instant.Span) {
        let decay = exponentialDecay(span.seconds / NoiseModel.correlationTime)
        let innovation = (1 - decay * decay).squareRoot() * sigma
        east = east * decay + random.normal() * innovation
        north = north * decay + random.normal() * innovation
        up = up * decay + random.normal() * innovation * 1.5
    }

    /// Returns a random speed error in m/s. Carrier phase is two orders of magnitude more accurate
    /// than range.
    package mutating func speedError() -> Double {
        random.normal() * min(sigma, 3) * 0.02
    }
}

/// Returns exp(-x) for x >= 0. It uses only basic arithmetic, so the result is the same on every
/// machine. The relative error is below 1e-12 up to 50.
func exponentialDecay(_ x: Double) -> Double {
    guard x < 50 else { return 0 }
    let small = max(x, 0) / 64
    let series = (1...10).reversed().reduce(1.0) { sum, n in 1 - small / Double(n) * sum }
    return (0..<6).reduce(series) { power, _ in power * power }
}
