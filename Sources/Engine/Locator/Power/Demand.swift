import Chronology
import Positioning

/// What a client needs from the receivers, and how long they may sleep between fixes.
public struct Demand: Sendable, Equatable {
    /// The maximum time between two fixes.
    public var interval: Instant.Span
    /// The kind of movement that the client expects.
    public var dynamics: Dynamics
    /// Whether the client needs each epoch immediately.
    public var isLowLatency: Bool
    /// The interval between checks while the device is stationary; nil if the client needs its
    /// fixes then as well.
    public var stationaryCheckInterval: CheckInterval?
    /// How long a woken receiver keeps running after its first fix. With zero it may sleep again
    /// immediately.
    public var minimumOnTime: Instant.Span

    /// Creates a demand.
    public init(
        interval: Instant.Span, dynamics: Dynamics = .any, isLowLatency: Bool = false,
        stationaryCheckInterval: CheckInterval? = .standard, minimumOnTime: Instant.Span = .zero
    ) {
        self.interval = interval
        self.dynamics = dynamics
        self.isLowLatency = isLowLatency
        self.stationaryCheckInterval = stationaryCheckInterval
        self.minimumOnTime = minimumOnTime
    }

    /// Returns the demand that keeps the ephemerides of an otherwise unused receiver fresh.
    ///
    /// It wakes the receiver periodically, for long enough to receive all ephemerides. A GPS frame
    /// takes 30 s. It has five subframes, the first of which is received only in part (IS-GPS-200,
    /// 20.3.2). Ephemerides are valid for about two hours.
    public static func ephemerisRefresh(every interval: Instant.Span) -> Demand {
        Demand(interval: interval, stationaryCheckInterval: nil, minimumOnTime: .seconds(36))
    }

    /// Returns the demand that satisfies both.
    public func union(_ other: Demand) -> Demand {
        Demand(
            interval: min(interval, other.interval), dynamics: dynamics.union(other.dynamics),
            isLowLatency: isLowLatency || other.isLowLatency,
            stationaryCheckInterval: stationaryCheckInterval.flatMap { interval in
                other.stationaryCheckInterval.map { interval.union($0) }
            },
            minimumOnTime: interval < other.interval ? minimumOnTime : other.minimumOnTime)
    }
}

/// The interval between checks of a stationary device. It starts at `first` and doubles each time
/// up to `last`.
public struct CheckInterval: Sendable, Equatable {
    /// Time from the start of the stationary state to the first check.
    public var first: Instant.Span
    /// The maximum time between two checks.
    public var last: Instant.Span

    /// For navigation in a vehicle, which can be on the motorway five minutes after it departs.
    public static let navigation = CheckInterval(first: .seconds(30), last: .seconds(60))
    /// For all other uses: a departure must be detected within 5 min, including the check itself
    /// (`docs/power.md`).
    public static let standard = CheckInterval(first: .seconds(30), last: .seconds(280))

    /// While no satellites are received. It detects the exit from a garage within five minutes, at
    /// a seventh of the cost of a continuous search.
    static let noSky = CheckInterval(first: .seconds(60), last: .seconds(280))

    func union(_ other: CheckInterval) -> CheckInterval {
        CheckInterval(first: min(first, other.first), last: min(last, other.last))
    }
}

extension ExponentialBackoff {
    /// Returns the pause after another check that found no change.
    mutating func next(_ interval: CheckInterval) -> Instant.Span { next(from: interval.first, max: interval.last) }
}

extension Dynamics {
    /// Returns the model that suits both. A receiver set to airborne still serves a pedestrian; one
    /// set to pedestrian cannot serve an aircraft.
    func union(_ other: Dynamics) -> Dynamics {
        if self == other { return self }
        return self == .airborne || other == .airborne ? .airborne : .any
    }
}

extension StreamOptions {
    /// Streams with a longer interval between updates do not need low latency.
    private static let maxLowLatencyInterval = Instant.Span.seconds(1)

    /// Returns the demand of a stream with this configuration and these options; nil for a passive
    /// stream.
    public func demand(_ configuration: Configuration) -> Demand? {
        guard !isPassive else { return nil }
        var demand = configuration.demand
        demand.interval = interval(for: configuration)
        if demand.interval > StreamOptions.maxLowLatencyInterval || maximumDelay.map({ $0 > .zero }) == true {
            demand.isLowLatency = false
        }
        // A track matters when the device has departed, not within a minute of it.
        if tolerance != nil { demand.stationaryCheckInterval = .standard }
        if !pausesWhenStationary { demand.stationaryCheckInterval = nil }
        return demand
    }
}

extension Configuration {
    /// The demand of a stream with this configuration.
    public var demand: Demand {
        switch self {
        case .automotiveNavigation:
            Demand(
                interval: minimumInterval, dynamics: .automotive, isLowLatency: true,
                stationaryCheckInterval: .navigation)
        case .otherNavigation:
            Demand(interval: minimumInterval, isLowLatency: true, stationaryCheckInterval: .navigation)
        case .fitness: Demand(interval: minimumInterval, dynamics: .pedestrian)
        case .airborne: Demand(interval: minimumInterval, dynamics: .airborne)
        case .default, .unknown: Demand(interval: minimumInterval)
        }
    }
}

/// When the monitors need the next fix. It changes with every fix and supplements the ``Demand`` of
/// streams.
///
/// The monitors update it after each fix, before the planner processes that fix. Until
/// ``notBefore`` the device cannot reach a boundary at any plausible speed, so the receiver may
/// sleep while moving or stationary.
///
/// A stationary device crosses no boundary, so it needs no fix even then. Checks at the interval of
/// ``stationaryCheckInterval`` detect that it has departed. The later of the two times applies.
public struct NextFixRequest: Sendable, Equatable {
    /// The earliest time at which a fix is needed. It is the current time plus the distance to the
    /// nearest boundary, less the fix error, divided by the maximum plausible speed. A time in the
    /// past requests every fix.
    public var notBefore: Instant
    /// The interval between checks of a stationary device.
    public var stationaryCheckInterval = CheckInterval.monitoring
    /// Whether the last fix left a decision open, such as a crossing that a second fix must
    /// confirm. The receiver keeps running until this is false, even while stationary.
    public var needsConfirmation = false
}

extension CheckInterval {
    /// For monitors that publish a crossing within a minute. From a kerb, a vehicle covers 150 m in
    /// 12 s at 13 m/s. A check that finds the device gone takes up to 15 s to confirm it.
    public static let monitoring = CheckInterval(first: .seconds(30), last: .seconds(40))
}
