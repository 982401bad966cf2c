import Chronology
import Receivers

/// What a receiver still knows of the orbits, and so how it starts.
struct OrbitMemory: Sendable {
    /// How a receiver starts.
    enum Start: Sendable, Equatable {
        /// Knows time, place and orbits.
        case hot
        /// Knows time and place, not the orbits of today.
        case warm
        /// Knows nothing.
        case cold
    }

    /// Orbits serve for two hours, which is half the interval GPS fits them to (receiver-power.md section 0).
    static let orbitLife = Instant.Span.seconds(7200)
    /// The almanac, by which it knows where to look, serves for weeks; two are reckoned.
    static let almanacLife = Instant.Span.seconds(14 * 86_400)
    /// GPS sends a satellite's orbit once in 30 s (IS-GPS-200, 20.3.3): in less tracking than that after a hot start, nothing new is
    /// learned.
    static let collecting = Instant.Span.seconds(30)

    /// When the orbits were last received in full; nil for never.
    private var fresh: Instant?
    private var trackingSince: Instant?

    /// - Parameter fresh: When orbits were received; nil for a receiver that knows nothing.
    init(fresh: Instant?) {
        self.fresh = fresh
    }

    /// The receiver has a fix, or has none.
    mutating func note(isTracking: Bool, at now: Instant) {
        guard isTracking else { return trackingSince = nil }
        let since = trackingSince ?? now
        trackingSince = since
        // A first fix that took a warm or a cold start was made with orbits that had just been received.
        if now - since >= OrbitMemory.collecting || start(at: now) != .hot { fresh = now }
    }

    /// Forgets what a start of that kind does without.
    mutating func forget(for start: Start) {
        trackingSince = nil
        switch start {
        case .hot: break
        case .warm: fresh = fresh.map { $0 - OrbitMemory.orbitLife }
        case .cold: fresh = nil
        }
    }

    /// How it would start now.
    func start(at now: Instant) -> Start {
        guard let fresh, now - fresh <= OrbitMemory.almanacLife else { return .cold }
        return now - fresh <= OrbitMemory.orbitLife ? .hot : .warm
    }

    /// Time to the first fix: that of the data sheet, a fifth more or less by chance; once in a while half as much again.
    static func time(_ start: Start, _ figures: EnergyFigures, _ random: inout RandomSource) -> Instant.Span {
        let typical =
            switch start {
            case .hot: figures.hotStart
            case .warm: figures.warmStart
            case .cold: figures.coldStart
            }
        let luck = 0.8 + 0.4 * random.uniform() + (random.uniform() < 0.1 ? 0.5 : 0)
        return .seconds(typical * luck)
    }
}
