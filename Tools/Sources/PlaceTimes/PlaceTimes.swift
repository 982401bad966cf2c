import Geodesy
import Glibc
import PlaceIndex
import Places

/// Measures answers from a file of places without a service, for `make places`.
///
///     PlaceTimes FOLDER < QUESTIONS
///
/// A question is a line: `reverse LATITUDE LONGITUDE`, `search TEXT` or `forward TEXT`. For each,
/// the program writes a line with the time in microseconds and a digest of the answer, by which two
/// versions can be compared.
@main struct PlaceTimes {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: PlaceTimes FOLDER < QUESTIONS")
            exit(64)
        }
        let file = try PlacesFile(PlacesFolder(named: CommandLine.arguments[1]))
        let geocoder = Geocoder(file)
        while let line = readLine() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let start = now()
            let answer = try answer(String(parts[0]), String(parts[1]), geocoder)
            print((now() - start) / 1000, answer)
        }
    }

    private static func answer(_ kind: String, _ text: String, _ geocoder: Geocoder) throws -> String {
        guard kind != "reverse" else {
            let numbers = text.split(separator: " ").compactMap { Double($0) }
            guard numbers.count == 2, let point = Coordinate(latitude: numbers[0], longitude: numbers[1]) else { return "?" }
            return try geocoder.placemark(at: point).map { "\($0.text) \($0.record ?? 0)" } ?? "-"
        }
        guard let query = PlaceQuery(text) else { return "?" }
        let isComplete = kind == "forward"
        let found = try geocoder.placemarks(named: query, isComplete: isComplete, limit: isComplete ? 5 : 10)
        return found.placemarks.map { "\($0.text) \($0.record ?? 0)" }.joined(separator: " | ")
    }

    /// The time of the monotonic clock in nanoseconds.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
