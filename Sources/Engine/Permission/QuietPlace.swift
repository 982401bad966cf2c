import Geodesy

/// A place where nothing is reported to servers.
package struct QuietPlace: Sendable, Equatable {
    package var center: Coordinate
    /// The radius in metres.
    package var radius: Double

    package init(_ center: Coordinate, radius: Double) { (self.center, self.radius) = (center, radius) }

    /// Reads a text such as `51.5,-0.1,200`; nil if it is none.
    package init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2],
            let center = Coordinate(latitude: latitude, longitude: longitude), (1...1_000_000).contains(radius)
        else { return nil }
        self.init(center, radius: radius)
    }
}

/// A part of each day in which nothing is reported to servers, in minutes since midnight of local
/// time. One that ends before it begins lasts over midnight.
package struct QuietHours: Sendable, Equatable {
    /// The first minute, 0 to 1439.
    package var start: Int
    /// The minute after the last one, 0 to 1439.
    package var end: Int

    /// Reads a text such as `22:00-06:00`; nil if it is none.
    package init?(_ text: String) {
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
    package func contains(_ minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }
}
