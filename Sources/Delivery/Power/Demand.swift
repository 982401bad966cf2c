import Chronology

/// What somebody needs of the receivers, and for how long they may rest in between.
public struct Demand: Sendable, Equatable {
    /// The longest time between two fixes that serves it.
    public var interval: Instant.Span
    /// What it says is moving.
    public var dynamics: Dynamics
    /// Each epoch is wanted the moment it is made.
    public var isUrgent: Bool
    /// While the device rests, looks this far apart do; nil for one that wants its fixes at rest as well.
    public var looksAtRest: LookInterval?
    /// For how long a receiver that was woken goes on once it has a fix; else it may sleep again at once.
    public var reception: Instant.Span

    /// A need.
    public init(
        interval: Instant.Span, dynamics: Dynamics = .any, isUrgent: Bool = false, looksAtRest: LookInterval? = .others,
        reception: Instant.Span = .zero
    ) {
        self.interval = interval
        self.dynamics = dynamics
        self.isUrgent = isUrgent
        self.looksAtRest = looksAtRest
        self.reception = reception
    }

    /// What keeps a receiver warm that nobody needs: woken every so often, for long enough to receive all orbits anew. A GPS frame takes 30 s, in
    /// five subframes of which the first heard is cut off (IS-GPS-200, 20.3.2); it is good for some two hours.
    public static func warmth(every interval: Instant.Span) -> Demand {
        Demand(interval: interval, looksAtRest: nil, reception: .seconds(36))
    }

    /// What serves all of them; nil where nobody needs anything.
    public static func union(of demands: some Sequence<Demand>) -> Demand? {
        demands.reduce(nil) { all, one in all.map { $0.joined(with: one) } ?? one }
    }

    /// What serves both.
    public func joined(with other: Demand) -> Demand {
        Demand(
            interval: min(interval, other.interval), dynamics: dynamics.joined(with: other.dynamics), isUrgent: isUrgent || other.isUrgent,
            looksAtRest: looksAtRest.flatMap { mine in other.looksAtRest.map { mine.joined(with: $0) } },
            // Who wakes it more often has no use for another's long reception each time.
            reception: interval < other.interval ? reception : other.reception)
    }
}

/// How far apart a resting device is looked at: the first look, then twice as long each time, up to the last.
public struct LookInterval: Sendable, Equatable {
    /// Time from coming to rest to the first look.
    public var first: Instant.Span
    /// The longest time between two.
    public var last: Instant.Span

    /// Looks between these bounds.
    public init(first: Instant.Span, last: Instant.Span) {
        self.first = first
        self.last = last
    }

    /// For somebody in a vehicle, who is on the motorway after five minutes.
    public static let navigation = LookInterval(first: .seconds(30), last: .seconds(60))
    /// For everybody else (DESIGN section 8: between 30 s and 5 min; a departure is to be noticed within 5 min, the look itself included).
    public static let others = LookInterval(first: .seconds(30), last: .seconds(280))

    /// While no satellite comes in: a way out of a garage is found within five minutes, at a seventh of what searching on would cost.
    static let withoutSky = LookInterval(first: .seconds(60), last: .seconds(280))

    func joined(with other: LookInterval) -> LookInterval {
        LookInterval(first: min(first, other.first), last: min(last, other.last))
    }
}

extension Dynamics {
    /// What fits both: a receiver told of an aeroplane still serves a walker, one told of a walker serves no aeroplane.
    func joined(with other: Dynamics) -> Dynamics {
        if self == other { return self }
        return self == .airborne || other == .airborne ? .airborne : .any
    }
}

extension StreamOptions {
    /// Longer than this between two updates, nobody waits for the moment in which one is made.
    private static let urgent = Instant.Span.seconds(1)

    /// What a stream of that configuration with these wishes needs; nil for one that asks for nothing.
    public func demand(_ configuration: LiveConfiguration) -> Demand? {
        guard !isPassive else { return nil }
        var demand = configuration.demand
        demand.interval = interval(configuration)
        if demand.interval > StreamOptions.urgent || maximumDelay.map({ $0 > .zero }) == true { demand.isUrgent = false }
        if !pausesWhenStationary { demand.looksAtRest = nil }
        return demand
    }
}

extension LiveConfiguration {
    /// What a stream of this configuration needs.
    public var demand: Demand {
        switch self {
        case .automotiveNavigation:
            Demand(interval: minimumInterval, dynamics: .automotive, isUrgent: true, looksAtRest: .navigation)
        case .otherNavigation: Demand(interval: minimumInterval, isUrgent: true, looksAtRest: .navigation)
        case .fitness: Demand(interval: minimumInterval, dynamics: .pedestrian)
        case .airborne: Demand(interval: minimumInterval, dynamics: .airborne)
        case .default: Demand(interval: minimumInterval)
        }
    }
}
