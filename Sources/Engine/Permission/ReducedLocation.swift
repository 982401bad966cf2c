import Chronology
import Geodesy

/// The location of the device as programs with reduced accuracy get it.
///
/// There is one per device: every program gets the same answer, so two programs that compare their
/// answers learn nothing. It has no speed, course, altitude or satellites.
///
/// A position is processed at most every 15 minutes, and ``current`` keeps its time between. If its
/// time followed every fix, it would reveal when the device leaves an area, to the second.
public struct ReducedLocation: Sendable {
    /// The minimum time between two answers.
    public static let interval = Instant.Span.seconds(900)

    /// One answer.
    public struct Answer: Sendable, Hashable {
        /// The reported point. It is never the position, nor within 1 km of it.
        public let coordinate: Coordinate
        /// The radius in metres that contains the true position with a probability of 68 %, rounded
        /// to 100 m.
        public let horizontalAccuracy: Double
        /// The receiver's time of the fix; nil if no date was known.
        public let time: UTCTime?
        /// When the fix was received.
        public let at: Instant
    }

    /// The answer that is valid now; nil before the first position. Its time is the time of the fix
    /// that it was determined from, so the caller can judge its age.
    public private(set) var current: Answer?

    private let grid: ReducedGrid
    private var area: ReducedArea?
    private var lastTime: UTCTime?

    /// Metres. The answer is kept this far outside its area, so that noise of the receiver does not
    /// change it: three times R68, within these limits. A wide margin would be harmful: a home in
    /// it can have two answers, depending on the direction of arrival, which reveal a boundary near
    /// it. With 20 m, this concerns about 1 home of 100.
    static let margins = 20.0...100.0

    /// Metres: half the circumference of the Earth. No radius is larger.
    private static let maxRadius = 20_037_509.0

    /// Creates the location of a device without a position.
    public init(grid: ReducedGrid) {
        self.grid = grid
    }

    /// The earliest time at which a position can change the answer; nil before the first position,
    /// which is answered at once. Positions before this time are ignored.
    public var nextAnswer: Instant? {
        current.map { $0.at + ReducedLocation.interval }
    }

    /// Processes a position of the device.
    ///
    /// - Parameters:
    ///   - horizontalAccuracy: R68 of the position in metres. A negative or infinite value makes
    ///     the position invalid, and it is ignored.
    ///   - time: The receiver's time of the fix; nil if no date is known.
    ///   - now: When the fix was received.
    /// - Returns: The new answer if its coordinate or accuracy differs from the last one, else nil.
    public mutating func process(
        _ position: Coordinate, horizontalAccuracy: Double, time: UTCTime?, at now: Instant
    ) -> Answer? {
        if let nextAnswer, now < nextAnswer { return nil }
        guard horizontalAccuracy >= 0, horizontalAccuracy.isFinite,
            let area = area(of: position, horizontalAccuracy: horizontalAccuracy)
        else {
            return nil
        }
        self.area = area
        lastTime = time ?? lastTime
        let radius = min(horizontalAccuracy, ReducedLocation.maxRadius)
        let variance = area.horizontalAccuracy * area.horizontalAccuracy + radius * radius
        let answer = Answer(
            coordinate: grid.reportedPoint(of: area, at: lastTime),
            horizontalAccuracy: (variance.squareRoot() / 100).rounded() * 100, time: time, at: now)
        let previous = current
        current = answer
        let isSame =
            previous?.coordinate == answer.coordinate && previous?.horizontalAccuracy == answer.horizontalAccuracy
        return isSame ? nil : answer
    }

    /// Returns the last area while the position is in it or near it, else the area of the position.
    private func area(of position: Coordinate, horizontalAccuracy: Double) -> ReducedArea? {
        let limits = ReducedLocation.margins
        let margin = min(max(3 * horizontalAccuracy, limits.lowerBound), limits.upperBound)
        if let area, area.contains(position, margin: margin) { return area }
        return grid.area(of: position)
    }
}
