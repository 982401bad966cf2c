import Chronology
import Geodesy

/// Reads the track of a GPX 1.0 or 1.1 file, or its route where it has no track. Several segments are joined.
public struct GPXReader {
    /// What is wrong with a file, and where.
    public struct Flaw: Error, Equatable, CustomStringConvertible {
        /// Line in the file, from 1.
        public var line: Int
        /// What was found there.
        public var reason: String

        /// A sentence for a person.
        public var description: String { "line \(line): \(reason)" }
    }

    private var track: [Route.Point] = []
    private var route: [Route.Point] = []
    private var current: Route.Point?
    private var element = ""
    private var text = ""
    private var isGPX = false

    /// The points of a file, in its order.
    public static func points(of bytes: [UInt8]) throws(Flaw) -> [Route.Point] {
        var reader = GPXReader()
        var scanner = XMLScanner(bytes)
        do {
            while let event = try scanner.next() { try reader.take(event, line: scanner.line) }
        } catch {
            throw Flaw(line: error.line, reason: error.reason)
        }
        guard reader.isGPX else { throw Flaw(line: scanner.line, reason: "no <gpx> element in the file") }
        let points = reader.track.isEmpty ? reader.route : reader.track
        guard !points.isEmpty else { throw Flaw(line: scanner.line, reason: "no <trkpt> and no <rtept> in the file") }
        return points
    }

    private mutating func take(_ event: XMLScanner.Event, line: Int) throws(XMLScanner.Flaw) {
        switch event {
        case .open(let name, let attributes):
            if name == "gpx" { isGPX = true }
            element = name
            text = ""
            if name == "trkpt" || name == "rtept" { current = try GPXReader.point(name, attributes, line: line) }
        case .text(let more):
            if current != nil, element == "ele" || element == "time" { text += more }
        case .close(let name):
            try close(name, line: line)
            element = ""
        }
    }

    private mutating func close(_ name: String, line: Int) throws(XMLScanner.Flaw) {
        guard let point = current else { return }
        let value = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        switch name {
        case "ele" where !value.isEmpty:
            guard let altitude = Double(value), altitude.isFinite, abs(altitude) < 1e6 else {
                throw XMLScanner.Flaw(line: line, reason: "\"\(value)\" is not a height in metres")
            }
            current?.altitude = altitude
        case "time" where !value.isEmpty:
            guard let time = UTCTime(rfc3339: value) else { throw XMLScanner.Flaw(line: line, reason: "\"\(value)\" is not a time") }
            current?.time = time
        case "trkpt": finish(point, in: \.track)
        case "rtept": finish(point, in: \.route)
        default: break
        }
    }

    private mutating func finish(_ point: Route.Point, in list: WritableKeyPath<GPXReader, [Route.Point]>) {
        self[keyPath: list].append(point)
        current = nil
    }

    private static func point(_ name: String, _ attributes: [String: String], line: Int) throws(XMLScanner.Flaw) -> Route.Point {
        guard let latitude = attributes["lat"].flatMap(Double.init), let longitude = attributes["lon"].flatMap(Double.init) else {
            throw XMLScanner.Flaw(line: line, reason: "<\(name)> without a numeric lat and lon")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw XMLScanner.Flaw(line: line, reason: "\(latitude), \(longitude) is not on the earth")
        }
        return Route.Point(coordinate)
    }
}
