import Geodesy
import NMEA

/// Where a vehicle really was, by time of day.
struct ReferenceTrack {
    /// One moment of it.
    struct Moment {
        var coordinate: Coordinate
        /// Metres per second.
        var speed: Double?
        /// Degrees clockwise from true north.
        var course: Double?
    }

    private(set) var moments: [Int: Moment] = [:]

    /// Reads GGA for the place and RMC for the motion. Checksums are not looked at: the reference that Google published was edited after
    /// they were made.
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
