import Geodesy
import Glibc
import Places

/// Measures answers from a file of places without a service, for `make places`.
///
///     PlaceTimes FOLDER < REQUESTS
///
/// A request is a line: `reverse LATITUDE LONGITUDE`, `search TEXT` or `forward TEXT`. For each,
/// the program writes a line with the time in microseconds and a digest of the answer, by which two
/// versions can be compared.
@main struct PlaceTimes {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: PlaceTimes FOLDER < REQUESTS")
            exit(64)
        }
        let file = try PlacesFile(PlacesFolder(named: CommandLine.arguments[1]))
        let geocoder = Geocoder(file)
        while let line = readLine() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (time, marks) = try measure(String(parts[0]), String(parts[1]), geocoder)
            print(time, marks.map { "\($0.text) \($0.record ?? 0)" }.joined(separator: " | "))
        }
    }

    private static func measure(
        _ kind: String, _ text: String, _ geocoder: Geocoder
    ) throws -> (microseconds: Double, marks: [GeocodedPlace]) {
        let start = now()
        var marks: [GeocodedPlace] = []
        if kind == "reverse" {
            let numbers = text.split(separator: " ").compactMap { Double($0) }
            if numbers.count == 2, let point = Coordinate(latitude: numbers[0], longitude: numbers[1]) {
                marks = try geocoder.placemark(at: point).map { [$0] } ?? []
            }
        } else if let query = PlaceQuery(text) {
            let isComplete = kind == "forward"
            marks = try geocoder.placemarks(named: query, isComplete: isComplete, limit: isComplete ? 5 : 10).placemarks
        }
        return ((now() - start) / 1000, marks)
    }

    /// The time of the monotonic clock in nanoseconds.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
