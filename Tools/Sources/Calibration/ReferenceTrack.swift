import Geodesy
import NMEA

/// The true positions of a vehicle by time of day.
struct ReferenceTrack {
    /// The true state at one time.
    struct Moment {
        var coordinate: Coordinate
        /// The speed in metres per second.
        var speed: Double?
        /// The course in degrees clockwise from true north.
        var course: Double?
    }

    private(set) var moments: [Int: Moment] = [:]

    /// Reads positions from GGA and motion from RMC sentences. Checksums are not verified, because
    /// Google edited the published reference without updating them.
    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 10) {
            guard line.first == UInt8(ascii: "$"), let star = line.firstIndex(of: UInt8(ascii: "*")) else { continue }
            let body = line[line.index(after: line.startIndex)..<star]
            read(Sentence.decode(body.span.bytes).sentence)
        }
    }

    private mutating func read(_ sentence: Sentence) {
        switch sentence {
        case .gga(let gga):
            guard let time = gga.time, let position = gga.position,
                let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
            else { return }
            moments[time.milliseconds] = Moment(coordinate: coordinate)
        case .rmc(let rmc):
            guard let time = rmc.time else { return }
            moments[time.milliseconds]?.speed = rmc.speed.map { $0 * 1852 / 3600 }
            moments[time.milliseconds]?.course = rmc.course
        default: break
        }
    }
}
