import Chronology
import Geodesy
import Geofencing
import Glibc
import Positioning

/// `FenceBenchmark COUNT MINUTES`: what a fix costs with so many conditions, on a drive of that length at 5 Hz.
///
/// Circles of 100 m are strewn over 200 km by 200 km, about as dense as the bus stops of a country, and the drive goes straight through.
/// Prints one JSON object: nanoseconds of a fix (p50, p99, the worst), of the same with no conditions, milliseconds to add the whole batch
/// and to determine it, the slowest turn meanwhile, and bytes of memory for each condition.
@main
enum Main {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[1]), let minutes = Int(arguments[2]), count >= 0, minutes > 0 else {
            fail("usage: FenceBenchmark COUNT MINUTES")
        }
        guard let start = Coordinate(latitude: 47.2852, longitude: 8.5653) else { fail("no start") }
        var drive = FenceDrive(from: start, minutes: minutes)
        let batch = FenceDrive.batch(count, about: start, side: 200_000)

        let before = FenceDrive.privateDirty()
        let added = drive.add(batch)
        let settled = drive.settle()
        // While the batch still lives, or its pages would count as saved.
        let after = withExtendedLifetime(batch) { FenceDrive.privateDirty() }
        let figures = drive.run()
        let bytes = count > 0 ? Double(after - before) / Double(count) : 0
        print(
            "{\"conditions\":\(count),\"fixes\":\(figures.fixes),\"p50\":\(figures.p50),\"p99\":\(figures.p99),\"worst\":\(figures.worst),"
                + "\"events\":\(figures.events),\"add_ms\":\(Double(added) / 1e6),\"determine_ms\":\(Double(settled.total) / 1e6),"
                + "\"slowest_turn\":\(settled.slowest),\"bytes\":\(bytes)}")
    }

    static func fail(_ reason: String) -> Never {
        var line = reason + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(1)
    }
}
