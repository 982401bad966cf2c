import Chronology
import Geodesy

/// The limits of what a server gets: nothing at quiet places and in quiet hours, and only the area
/// if the accuracy is reduced.
public struct ReportFilter: Sendable, Equatable {
    /// A place where nothing is reported.
    public struct QuietPlace: Sendable, Equatable {
        /// The middle.
        public var center: Coordinate
        /// The radius in metres.
        public var radius: Double

        /// Creates a place.
        public init(_ center: Coordinate, radius: Double) { (self.center, self.radius) = (center, radius) }

        /// Reads a text such as `51.5,-0.1,200`; nil if it is none.
        public init?(_ text: String) {
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2],
                let center = Coordinate(latitude: latitude, longitude: longitude), (1...1_000_000).contains(radius)
            else { return nil }
            self.init(center, radius: radius)
        }
    }

    /// A part of each day in which nothing is reported, in minutes since midnight of local time.
    /// One that ends before it begins lasts over midnight.
    public struct QuietHours: Sendable, Equatable {
        /// The first minute, 0 to 1439.
        public var start: Int
        /// The minute after the last one, 0 to 1439.
        public var end: Int

        /// Reads a text such as `22:00-06:00`; nil if it is none.
        public init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(QuietHours.minute)
            guard parts.count == 2, let start = parts[0], let end = parts[1], start != end else { return nil }
            (self.start, self.end) = (start, end)
        }

        private static func minute(_ text: Substring) -> Int? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
                let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
            else { return nil }
            return hour * 60 + minute
        }

        /// Whether a minute of the day is in the hours.
        public func contains(_ minute: Int) -> Bool {
            start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    /// The side of a cell of a reduced position in metres: a 4,000th of a meridian.
    private static let cellSide = 5000.0
    /// The radius in metres that contains such a cell: half its diagonal, rounded up.
    private static let cellAccuracy = 3600.0

    /// Whether positions are those of cells of about 5 km, without altitude, speed and course.
    public var isReduced = false
    /// The places where nothing is reported.
    public var quietPlaces: [QuietPlace] = []
    /// The hours in which nothing is reported.
    public var quietHours: [QuietHours] = []

    /// Creates a filter that changes nothing.
    public init() {}

    /// Returns the point that is reported; nil if none is.
    ///
    /// - Parameter minute: The minute of the day at the time of the point, by local time.
    public func reported(_ point: FleetPoint, minute: Int) -> FleetPoint? {
        guard isReported(at: point.coordinate, minute: minute) else { return nil }
        return isReduced ? reduced(point) : point
    }

    /// Returns whether an event is reported. A server with reduced accuracy gets no events: they
    /// contain the exact place.
    public func isReported(_ event: FleetEvent, minute: Int) -> Bool {
        !isReduced && isReported(at: event.place, minute: minute)
    }

    private func isReported(at place: Coordinate?, minute: Int) -> Bool {
        guard !quietHours.contains(where: { $0.contains(minute) }) else { return false }
        guard let place else { return true }
        return !quietPlaces.contains { place.distance(to: $0.center) <= $0.radius }
    }

    /// The middle of the cell of a point. The cells of a row have the same width, which is about
    /// their height at all latitudes.
    private func reduced(_ point: FleetPoint) -> FleetPoint? {
        let side = ReportFilter.cellSide
        func middle(_ value: Double, _ step: Double) -> Double { ((value / step).rounded(.down) + 0.5) * step }
        let latitude = min(max(middle(point.coordinate.latitude, 180 / 4000), -89.9), 89.9)
        guard let start = Coordinate(latitude: latitude, longitude: 0),
            let end = Coordinate(latitude: latitude, longitude: 1)
        else { return nil }
        let columns = max((360 * start.distance(to: end) / side).rounded(), 1)
        let longitude = min(max(middle(point.coordinate.longitude, 360 / columns), -180), 180)
        guard let center = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        return FleetPoint(center, at: point.time, accuracy: max(point.accuracy, ReportFilter.cellAccuracy))
    }
}
