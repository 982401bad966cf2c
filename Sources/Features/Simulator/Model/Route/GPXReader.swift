import Chronology
import Geodesy

/// Reads the track of a GPX 1.0 or 1.1 file, or its route if it contains no track. Several segments
/// are joined. A file with neither is read as its waypoints with a time, in order of time.
package struct GPXReader {
    /// An error in a file, with its line.
    package struct Error: Swift.Error, Equatable, CustomStringConvertible {
        /// The line in the file, from 1.
        package var line: Int
        package var reason: String

        /// The error message.
        package var description: String { "line \(line): \(reason)" }
    }

    private var track: [Route.Point] = []
    private var route: [Route.Point] = []
    private var waypoints: [Route.Point] = []
    /// The first error in a waypoint. It does not matter in a file with a track or a route.
    private var waypointError: XMLScanner.SyntaxError?
    private var isInWaypoint = false
    private var current: Route.Point?
    private var element = ""
    private var text = ""
    private var isGPX = false

    /// Returns the points of a file in their order.
    package static func points(of bytes: [UInt8]) throws(Error) -> [Route.Point] {
        var reader = GPXReader()
        var scanner = XMLScanner(bytes)
        do {
            while let event = try scanner.next() { try reader.process(event, line: scanner.line) }
        } catch {
            throw Error(line: error.line, reason: error.reason)
        }
        guard reader.isGPX else { throw Error(line: scanner.line, reason: "the file contains no <gpx> element") }
        if !reader.track.isEmpty { return reader.track }
        if !reader.route.isEmpty { return reader.route }
        if let error = reader.waypointError { throw Error(line: error.line, reason: error.reason) }
        let timed = GPXReader.ordered(reader.waypoints)
        guard !timed.isEmpty else {
            throw Error(
                line: scanner.line,
                reason: "the file contains no <trkpt>, no <rtept> and no <wpt> element with a <time>")
        }
        return timed
    }

    /// Returns the points that have a time, in order of time. Points of the same time keep their
    /// order.
    private static func ordered(_ points: [Route.Point]) -> [Route.Point] {
        points.enumerated()
            .compactMap { index, point in point.time.map { (time: $0, index: index, point: point) } }
            .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
            .map(\.point)
    }

    private mutating func process(_ event: XMLScanner.Event, line: Int) throws(XMLScanner.SyntaxError) {
        switch event {
        case .open(let name, let attributes):
            if name == "gpx" { isGPX = true }
            element = name
            text = ""
            if name == "trkpt" || name == "rtept" {
                current = try GPXReader.point(of: name, attributes: attributes, line: line)
            }
            if name == "wpt" { openWaypoint(attributes, line: line) }
        case .text(let more):
            if current != nil, element == "ele" || element == "time" { text += more }
        case .close(let name):
            if isInWaypoint { closeInWaypoint(name, line: line) } else { try close(name, line: line) }
            element = ""
        }
    }

    private mutating func openWaypoint(_ attributes: [String: String], line: Int) {
        isInWaypoint = true
        do throws(XMLScanner.SyntaxError) {
            current = try GPXReader.point(of: "wpt", attributes: attributes, line: line)
        } catch {
            waypointError = waypointError ?? error
        }
    }

    private mutating func closeInWaypoint(_ name: String, line: Int) {
        do throws(XMLScanner.SyntaxError) { try close(name, line: line) } catch {
            waypointError = waypointError ?? error
        }
        if name == "wpt" { isInWaypoint = false }
    }

    private mutating func close(_ name: String, line: Int) throws(XMLScanner.SyntaxError) {
        guard let point = current else { return }
        let value = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        switch name {
        case "ele" where !value.isEmpty:
            guard let altitude = Double(value), altitude.isFinite, abs(altitude) < 1e6 else {
                throw XMLScanner.SyntaxError(line: line, reason: "\"\(value)\" is not an elevation in metres")
            }
            current?.altitude = altitude
        case "time" where !value.isEmpty:
            guard let time = UTCTime(rfc3339: value) else {
                throw XMLScanner.SyntaxError(line: line, reason: "\"\(value)\" is not an RFC 3339 time")
            }
            current?.time = time
        case "trkpt": finish(point, in: \.track)
        case "rtept": finish(point, in: \.route)
        case "wpt": finish(point, in: \.waypoints)
        default: break
        }
    }

    private mutating func finish(_ point: Route.Point, in list: WritableKeyPath<GPXReader, [Route.Point]>) {
        self[keyPath: list].append(point)
        current = nil
    }

    private static func point(
        of element: String, attributes: [String: String], line: Int
    ) throws(XMLScanner.SyntaxError) -> Route.Point {
        guard let latitude = attributes["lat"].flatMap(Double.init),
            let longitude = attributes["lon"].flatMap(Double.init)
        else {
            throw XMLScanner.SyntaxError(line: line, reason: "<\(element)> has no numeric lat and lon")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw XMLScanner.SyntaxError(
                line: line, reason: "\(latitude), \(longitude) is not a valid latitude and longitude")
        }
        return Route.Point(coordinate)
    }
}
