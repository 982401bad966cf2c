import Geodesy
import Glibc

/// `FenceBenchmark COUNT MINUTES`: measures the time per fix with `COUNT` conditions, on a drive of
/// `MINUTES` at 5 Hz.
///
/// Circles of 100 m are at random positions in 200 km by 200 km, about as dense as the bus stops of
/// a country. Prints one JSON object: nanoseconds per fix (p50, p99, worst), milliseconds to add
/// and to determine all conditions, nanoseconds of the slowest turn, and bytes per condition.
@main
enum Main {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[1]), let minutes = Int(arguments[2]), count >= 0,
            minutes > 0
        else {
            fail("usage: FenceBenchmark COUNT MINUTES")
        }
        guard let start = Coordinate(latitude: 47.2852, longitude: 8.5653) else { fail("the start is invalid") }
        var drive = FenceDrive(from: start, minutes: minutes)
        let batch = FenceDrive.batch(count, around: start, side: 200_000)

        let before = FenceDrive.privateDirty()
        let added = drive.add(batch)
        let determined = drive.determineAll()
        // Measured before the batch is freed, so that its pages count.
        let after = withExtendedLifetime(batch) { FenceDrive.privateDirty() }
        let figures = drive.run()
        let bytes = count > 0 ? Double(after - before) / Double(count) : 0
        print(
            "{\"conditions\":\(count),\"fixes\":\(figures.fixes),\"p50\":\(figures.p50),"
                + "\"p99\":\(figures.p99),\"worst\":\(figures.worst),\"events\":\(figures.events),"
                + "\"add_ms\":\(Double(added) / 1e6),\"determine_ms\":\(Double(determined.total) / 1e6),"
                + "\"slowest_turn\":\(determined.slowest),\"bytes\":\(bytes)}")
    }

    static func fail(_ reason: String) -> Never {
        var line = reason + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
