import Chronology
import Fleet
import Geodesy
import Glibc
import Simulator

/// The tracks that simulated devices follow.
struct SimulatedTracks {
    private static let maxFiles = 1000
    private static let maxLength = 64_000_000
    /// The speed along tracks without times in metres per second.
    private static let speed = 12.0

    private(set) var routes: [Route] = []
    /// The time at the start of the first track; nil if it has none.
    var start: UTCTime? { routes.first?.startTime }
    var duration: Instant.Span { routes.first?.duration ?? .zero }

    /// Reads all `*.gpx` files of a folder; without one, a round trip through a town.
    init(folder: String?) throws {
        guard let folder else {
            try add(SimulatedTracks.roundTrip)
            return
        }
        guard let directory = opendir(folder) else { throw FleetError.settings("\(folder) cannot be read") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory), names.count < SimulatedTracks.maxFiles {
            let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
            if name.hasSuffix(".gpx") { names.append(name) }
        }
        for name in names.sorted() {
            let path = "\(folder)/\(name)"
            do {
                try add(GPXReader.points(of: SimulatedTracks.bytes(path)))
            } catch {
                throw FleetError.settings("\(path) is not a GPX track: \(error)")
            }
        }
        guard !routes.isEmpty else { throw FleetError.settings("\(folder) contains no *.gpx file") }
    }

    private mutating func add(_ points: [Route.Point]) throws(Route.Error) {
        routes.append(try Route(points: points, speed: SimulatedTracks.speed))
    }

    private static func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < maxLength {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// A square with sides of 1 km and a crossing every 250 m, from which the track turns.
    private static var roundTrip: [Route.Point] {
        guard var place = Coordinate(latitude: 52.4, longitude: 4.8) else { return [] }
        var points = [Route.Point(place)]
        for (bearing, metres) in [
            (0.0, 500.0), (90, 250), (0, 500), (90, 750), (180, 250), (90, 250), (180, 750), (270, 500), (0, 250),
            (270, 500), (180, 250), (270, 250),
        ] {
            place = place.moved(by: metres, bearing: bearing)
            points.append(Route.Point(place))
        }
        return points
    }
}
