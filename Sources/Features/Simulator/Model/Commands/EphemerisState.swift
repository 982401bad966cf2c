import Chronology
import Receivers

/// The orbit data that a receiver holds. It determines the type of the next start.
struct EphemerisState: Sendable {
    /// The types of start.
    enum Start: Sendable, Equatable {
        /// Time, position and ephemerides are known.
        case hot
        /// Time and position are known; current ephemerides are not.
        case warm
        /// Nothing is known.
        case cold
    }

    /// Ephemerides are used for two hours, half the interval to which GPS fits them
    /// (docs/receiver-commands.md).
    static let ephemerisValidity = Instant.Span.seconds(7200)
    /// The almanac, which predicts the visible satellites, is valid for weeks; the simulation uses
    /// two.
    static let almanacValidity = Instant.Span.seconds(14 * 86_400)
    /// GPS repeats a satellite's ephemeris every 30 s (IS-GPS-200, 20.3.3). After a hot start, less
    /// tracking than that provides no new data.
    static let ephemerisReceptionTime = Instant.Span.seconds(30)

    /// When the ephemerides were last received completely; nil if never.
    private var lastReception: Instant?
    private var trackingSince: Instant?

    /// - Parameter lastReception: When the ephemerides were received; nil for a receiver without
    ///   any data.
    init(lastReception: Instant?) {
        self.lastReception = lastReception
    }

    /// Updates the state with whether the receiver has a fix.
    mutating func update(isTracking: Bool, at now: Instant) {
        guard isTracking else { return trackingSince = nil }
        let since = trackingSince ?? now
        trackingSince = since
        // The first fix after a warm or cold start uses ephemerides that were just received.
        if now - since >= EphemerisState.ephemerisReceptionTime || start(at: now) != .hot { lastReception = now }
    }

    /// Discards the data that a start of this type does not use.
    mutating func discard(for start: Start) {
        trackingSince = nil
        switch start {
        case .hot: break
        case .warm: lastReception = lastReception.map { $0 - EphemerisState.ephemerisValidity }
        case .cold: lastReception = nil
        }
    }

    /// Returns the type of a start at this time.
    func start(at now: Instant) -> Start {
        guard let lastReception, now - lastReception <= EphemerisState.almanacValidity else { return .cold }
        return now - lastReception <= EphemerisState.ephemerisValidity ? .hot : .warm
    }

    /// Returns the time to the first fix: the data sheet value, varied randomly by up to 20 %. With
    /// a probability of 10 % it adds another 50 %.
    static func timeToFirstFix(
        after start: Start, figures: EnergyFigures, using random: inout RandomSource
    ) -> Instant.Span {
        let typical =
            switch start {
            case .hot: figures.hotStart
            case .warm: figures.warmStart
            case .cold: figures.coldStart
            }
        let factor = 0.8 + 0.4 * random.uniform() + (random.uniform() < 0.1 ? 0.5 : 0)
        return .seconds(typical * factor)
    }
}
