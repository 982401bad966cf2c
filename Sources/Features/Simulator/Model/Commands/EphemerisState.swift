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
        /// As warm, and the receiver has predicted the orbits.
        case predicted
        /// Nothing is known.
        case cold
    }

    /// Ephemerides are used for two hours, half the interval to which GPS fits them
    /// (docs/receiver-commands.md).
    static let ephemerisValidity = Instant.Span.seconds(7200)
    /// Orbits are predicted for three days (u-blox NEO-M9N, AssistNow Autonomous).
    static let predictionValidity = Instant.Span.seconds(72 * 3600)
    /// The almanac, which predicts the visible satellites, is valid for weeks; the simulation uses
    /// two.
    static let almanacValidity = Instant.Span.seconds(14 * 86_400)
    /// GPS repeats a satellite's ephemeris every 30 s (IS-GPS-200, 20.3.3). After a hot start, less
    /// tracking than that provides no new data.
    static let ephemerisReceptionTime = Instant.Span.seconds(30)

    /// When the ephemerides were last received completely; nil if never.
    private(set) var lastReception: Instant?
    private var trackingSince: Instant?
    var predictsOrbits = false

    /// - Parameter lastReception: When the ephemerides were received; nil for a receiver without
    ///   any data.
    init(lastReception: Instant?) {
        self.lastReception = lastReception
    }

    /// Takes ephemerides that the host has given back.
    mutating func restore(reception: Instant) { lastReception = lastReception.map { max($0, reception) } ?? reception }

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
        case .hot, .predicted: break
        case .warm: lastReception = lastReception.map { $0 - EphemerisState.ephemerisValidity }
        case .cold: lastReception = nil
        }
    }

    /// Returns the type of a start at this time.
    func start(at now: Instant) -> Start {
        guard let lastReception, now - lastReception <= EphemerisState.almanacValidity else { return .cold }
        if now - lastReception <= EphemerisState.ephemerisValidity { return .hot }
        let isPredicted = predictsOrbits && now - lastReception <= EphemerisState.predictionValidity
        return isPredicted ? .predicted : .warm
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
            // "About 10 s with almanac or prediction" (ubxlib).
            case .predicted: 9.0
            case .cold: figures.coldStart
            }
        let factor = 0.8 + 0.4 * random.uniform() + (random.uniform() < 0.1 ? 0.5 : 0)
        return .seconds(typical * factor)
    }
}

/// What the host has given to a receiver since its engine started. The times are assumptions: a
/// receiver with time and place searches fewer satellites, and one with a wrong time the wrong
/// ones.
struct HostAiding: Sendable, Equatable {
    /// The time to the first fix with time and place, at most.
    static let limit = Instant.Span.seconds(20)
    /// The time that a wrong time costs.
    static let penalty = Instant.Span.seconds(30)
    /// The error of the time from which it is wrong.
    static let tolerance = Instant.Span.seconds(3)

    /// The time from the last entry of a database to the first fix, if its ephemerides are current:
    /// the data sheets' aided start.
    static let limitWithDatabase = Instant.Span.seconds(2)

    var hasTime = false
    var hasPlace = false
    var entries: Set<Int> = []
}
