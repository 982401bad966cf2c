import Chronology
import Geodesy
import Geofencing

/// Circles of 30 to 200 m with their edge 0 to 15 m from where a device rests, to either side: whatever is told after the first
/// determination is false.
public struct RestingFences: Sendable {
    /// Metres.
    private static let radii = [30.0, 50, 100, 200]
    private static let edges = [-15.0, -10, -5, 0, 5, 10, 15]

    /// Circles held against the log.
    public private(set) var circles = 0
    /// Hours of all of them.
    public private(set) var hours = 0.0
    /// Crossings and retractions told.
    public private(set) var events = 0
    /// Those of plain containment.
    public private(set) var plain = 0
    /// Circles whose state was known at the end, and was right: on the side of the resting point, where that is 5 m from the edge or more.
    public private(set) var determined = 0
    /// See ``determined``.
    public private(set) var right = 0
    /// How many could be right.
    public private(set) var clear = 0

    /// False events in an hour of one circle.
    public var perHour: Double { hours > 0 ? Double(events) / hours : 0 }
    /// Those of plain containment.
    public var plainPerHour: Double { hours > 0 ? Double(plain) / hours : 0 }

    /// Holds circles in eight directions against a log of a device that rests.
    public init(_ play: FencePlay) {
        guard let home = RestingFences.middle(play) else { return }
        for radius in Self.radii {
            for edge in Self.edges {
                for bearing in stride(from: 0.0, to: 360, by: 45) {
                    let center = home.moved(by: radius - edge, bearing: bearing)
                    judge(play, .circle(center: center, radius: radius), edge)
                }
            }
        }
    }

    private mutating func judge(_ play: FencePlay, _ shape: FenceShape, _ edge: Double) {
        circles += 1
        hours += play.length.seconds / 3600
        plain += play.plainChanges(shape)
        let told = play.told(Condition(shape: shape))
        events += told.count { $0.outcome.kind != .determined }
        if let last = told.last {
            determined += 1
            if edge != 0, (last.outcome.state == .satisfied) == (edge > 0) { right += 1 }
        }
        if edge != 0 { clear += 1 }
    }

    /// The resting point: the median of all positions, by component.
    private static func middle(_ play: FencePlay) -> Coordinate? {
        let latitudes = play.steps.map(\.coordinate.latitude).sorted()
        let longitudes = play.steps.map(\.coordinate.longitude).sorted()
        guard !latitudes.isEmpty else { return nil }
        return Coordinate(latitude: latitudes[latitudes.count / 2], longitude: longitudes[longitudes.count / 2])
    }
}
