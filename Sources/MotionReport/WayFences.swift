import Chronology
import Geodesy
import Geofencing

/// Circles of 100 m with their centres on the way of a device that moves: each entry and exit is to be told once.
public struct WayFences: Sendable {
    /// Metres.
    private static let radius = 100.0
    /// Metres from one centre to the next.
    private static let spacing = 400.0
    /// Metres on the other side that make a crossing certain; what goes less far may be told or not, and the circle is left out.
    private static let certain = 25.0
    /// A crossing so near to the end of a log cannot be told any more.
    private static let ending = Instant.Span.seconds(60)

    /// A crossing that happened.
    struct Truth {
        var isEntry: Bool
        var at: Instant
    }

    /// Circles held against the log, and those left out.
    public private(set) var circles = 0
    /// See ``circles``.
    public private(set) var unclear = 0
    /// Crossings that happened.
    public private(set) var crossings = 0
    /// Those of them that were told once.
    public private(set) var found = 0
    /// Crossings told that did not happen, or again.
    public private(set) var wrong = 0
    /// Seconds from a crossing to its being told, and between its date and its truth.
    public private(set) var delays: [Double] = []
    /// See ``delays``.
    public private(set) var errors: [Double] = []

    /// Holds circles against a log.
    ///
    /// - Parameters:
    ///   - way: Where the device truly was at each step; nil: where the log says it was.
    ///   - period: See ``FencePlay/told(_:every:)``; nil: all epochs are looked at.
    public init(_ play: FencePlay, way: [Coordinate]? = nil, every period: Instant.Span? = nil) {
        let way = way ?? play.steps.map(\.coordinate)
        guard var last = way.first, way.count == play.steps.count else { return }
        for (index, place) in way.enumerated() where last.distance(to: place) >= Self.spacing {
            last = place
            guard index > 0 else { continue }
            judge(play, way, .circle(center: place, radius: Self.radius), period)
        }
    }

    private mutating func judge(_ play: FencePlay, _ way: [Coordinate], _ shape: FenceShape, _ period: Instant.Span?) {
        guard let truths = WayFences.crossings(play, way, shape) else {
            unclear += 1
            return
        }
        circles += 1
        let condition = Condition(shape: shape)
        var told = (period.map { play.told(condition, every: $0) } ?? play.told(condition)).filter { $0.outcome.kind != .determined }
        let start = play.steps.first?.evidence?.time ?? play.steps.lazy.compactMap { $0.evidence?.time }.first
        for truth in truths {
            crossings += 1
            let kind: ConditionEvent.Kind = truth.isEntry ? .entered : .left
            guard let index = told.firstIndex(where: { $0.outcome.kind == kind && ($0.at - truth.at).seconds > -30 }) else { continue }
            let event = told.remove(at: index)
            found += 1
            delays.append((event.at - truth.at).seconds)
            if let date = event.outcome.date, let start { errors.append(abs(date.since(start).seconds - (truth.at - .zero).seconds)) }
        }
        wrong += told.count
    }

    /// When the boundary was crossed for certain; nil where that is not.
    static func crossings(_ play: FencePlay, _ way: [Coordinate], _ shape: FenceShape) -> [Truth]? {
        let distances = way.map { shape.signedDistance(from: $0) }
        guard let end = play.steps.last?.at, let first = distances.first, abs(first) >= certain else { return nil }
        var (isInside, crossed, truths): (Bool, Instant?, [Truth]) = (first > 0, nil, [])
        for index in distances.indices.dropFirst() {
            let (before, now) = (distances[index - 1], distances[index])
            let (from, to) = (play.steps[index - 1].at, play.steps[index].at)
            if (now > 0) == isInside {
                // It has been over, and not far enough for anyone to be sure.
                if crossed != nil { return nil }
                continue
            }
            if crossed == nil { crossed = from + .seconds((to - from).seconds * before / (before - now)) }
            guard abs(now) >= certain, let at = crossed else { continue }
            guard end - at >= ending else { return nil }
            truths.append(Truth(isEntry: !isInside, at: at))
            (isInside, crossed) = (!isInside, nil)
        }
        return crossed == nil ? truths : nil
    }
}
