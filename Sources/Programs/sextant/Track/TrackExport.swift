import ArgumentParser
import SextantAPI
import SystemCalls
import Varlink

/// A track with visits in the forms of other programs.
struct TrackExport {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case gpx, geojson, csv
    }

    /// The points in the order of recording.
    var points: [RecordedPoint]
    /// The visits, the oldest first.
    var visits: [Visit]
    /// Returns the name of the place of a visit, if known.
    var placeName: (Visit) -> String? = { _ in nil }

    func bytes(_ format: Format) -> [UInt8] {
        var text = Text()
        switch format {
        case .gpx: writeGPX(to: &text)
        case .geojson: writeGeoJSON(to: &text)
        case .csv: writeCSV(to: &text)
        }
        return text.bytes
    }

    /// The parts of the track: each begins after a gap, or where simulated positions begin or end.
    ///
    /// - Parameter isCut: Whether another part begins beyond the antimeridian (RFC 7946, 3.1.9).
    private func parts(isCut: Bool = false) -> [ArraySlice<RecordedPoint>] {
        var parts: [ArraySlice<RecordedPoint>] = []
        var start = points.startIndex
        for index in points.indices.dropFirst() {
            let isCrossing = isCut && abs(points[index].longitude - points[index - 1].longitude) > 180
            guard points[index].begins == true || isCrossing else { continue }
            parts.append(points[start..<index])
            start = index
        }
        if start < points.endIndex { parts.append(points[start...]) }
        return parts
    }

    private func name(of visit: Visit) -> String { placeName(visit) ?? "visit" }
}

// MARK: GPX
extension TrackExport {
    /// Writes GPX 1.1 (https://www.topografix.com/GPX/1/1/).
    private func writeGPX(to text: inout Text) {
        text.add(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="sextant \(SextantVersion.current)" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:sextant="https://sextant.io/gpx/1">

            """)
        for visit in visits {
            text.add(position: (visit.latitude, visit.longitude), "<wpt lat=\"", "\" lon=\"", "\">")
            if let arrival = visit.arrival { text.add("<time>\(arrival)</time>") }
            text.add("<name>\(TrackExport.xml(name(of: visit)))</name>")
            let departure = visit.departure.map { "\($0)" } ?? (visit.departed ? "unknown" : "not yet")
            text.add("<desc>departure: \(departure)</desc><extensions><sextant:accuracy>")
            text.add(visit.horizontalAccuracy, decimals: 1)
            text.add("</sextant:accuracy></extensions></wpt>\n")
        }
        text.add("<trk>\n")
        for part in parts() {
            text.add("<trkseg>\n")
            for point in part {
                text.add(position: (point.latitude, point.longitude), "<trkpt lat=\"", "\" lon=\"", "\">")
                if let altitude = point.altitude {
                    text.add("<ele>")
                    text.add(altitude, decimals: 1)
                    text.add("</ele>")
                }
                text.add("<time>")
                text.add("\(point.timestamp)")
                text.add(point.simulated == true ? "</time><src>simulated</src>" : "</time>")
                text.add("<extensions><sextant:accuracy>")
                text.add(point.horizontalAccuracy, decimals: 1)
                text.add("</sextant:accuracy></extensions></trkpt>\n")
            }
            text.add("</trkseg>\n")
        }
        text.add("</trk>\n</gpx>\n")
    }

    private static func xml(_ text: String) -> String {
        var result = ""
        for character in TerminalText.sanitized(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}

// MARK: GeoJSON
extension TrackExport {
    /// Writes GeoJSON (RFC 7946): a line for each part, with the times and accuracies of its
    /// points, and a point for each visit.
    private func writeGeoJSON(to text: inout Text) {
        text.add("{\"type\":\"FeatureCollection\",\"features\":[")
        var separator = "\n"
        for part in parts(isCut: true) {
            text.add("\(separator){\"type\":\"Feature\",\"geometry\":{\"type\":")
            text.add(part.count > 1 ? "\"LineString\",\"coordinates\":[" : "\"Point\",\"coordinates\":")
            text.add(list: part) { text, point in
                text.add(position: (point.longitude, point.latitude), "[", ",", "")
                if let altitude = point.altitude {
                    text.add(",")
                    text.add(altitude, decimals: 1)
                }
                text.add("]")
            }
            text.add(part.count > 1 ? "]},\"properties\":{" : "},\"properties\":{")
            text.add(part.first?.simulated == true ? "\"simulated\":true,\"times\":[" : "\"times\":[")
            text.add(list: part) { text, point in text.add("\"\(point.timestamp)\"") }
            text.add("],\"accuracies\":[")
            text.add(list: part) { text, point in text.add(point.horizontalAccuracy, decimals: 1) }
            text.add("]}}")
            separator = ",\n"
        }
        for visit in visits {
            text.add("\(separator){\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
            text.add(position: (visit.longitude, visit.latitude), "[", ",", "]},\"properties\":")
            var properties: [String: JSONValue] = [
                "name": .string(name(of: visit)), "accuracy": .double(visit.horizontalAccuracy),
            ]
            properties["arrival"] = visit.arrival.map { .string("\($0)") }
            properties["departure"] = visit.departure.map { .string("\($0)") }
            text.bytes += JSONValue.object(properties).bytes
            text.add("}")
            separator = ",\n"
        }
        text.add("\n]}\n")
    }
}

// MARK: CSV
extension TrackExport {
    /// Writes comma-separated values (RFC 4180). The time of a visit is its arrival.
    private func writeCSV(to text: inout Text) {
        text.add("kind,time,until,latitude,longitude,accuracy_m,altitude_m,part,name,simulated\n")
        for (number, part) in parts().enumerated() {
            for point in part {
                text.add("point,")
                text.add("\(point.timestamp)")
                text.add(position: (point.latitude, point.longitude), ",,", ",", ",")
                text.add(point.horizontalAccuracy, decimals: 1)
                text.add(",")
                if let altitude = point.altitude { text.add(altitude, decimals: 1) }
                text.add(",\(number + 1),,\(point.simulated == true)\n")
            }
        }
        for visit in visits {
            let times = [visit.arrival, visit.departure].map { $0.map { "\($0)" } ?? "" }
            text.add(
                position: (visit.latitude, visit.longitude), "visit,\(times[0]),\(times[1]),", ",", ",")
            text.add(visit.horizontalAccuracy, decimals: 1)
            let name = TerminalText.sanitized(name(of: visit)).split(separator: "\"", omittingEmptySubsequences: false)
            text.add(",,,\"\(name.joined(separator: "\"\""))\",\n")
        }
    }
}

/// Text as bytes, which numbers are added to without a string of each.
private struct Text {
    var bytes: [UInt8] = []

    mutating func add(_ text: String) { bytes += text.utf8 }

    mutating func add(_ value: Double, decimals: Int) {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        guard let whole = Int64(exactly: (value * scale).rounded()) else { return add("\(value)") }
        if whole < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = whole.magnitude
        let end = bytes.count
        var count = 0
        while rest > 0 || count <= decimals {
            if count == decimals, decimals > 0 { bytes.append(UInt8(ascii: ".")) }
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            count += 1
        }
        bytes[end...].reverse()
    }

    /// Adds two coordinates with the texts before, between and behind them.
    mutating func add(position: (Double, Double), _ before: String, _ between: String, _ behind: String) {
        add(before)
        add(position.0, decimals: 7)
        add(between)
        add(position.1, decimals: 7)
        add(behind)
    }

    /// Adds what is made for each point, with commas between.
    mutating func add(list: ArraySlice<RecordedPoint>, _ make: (inout Text, RecordedPoint) -> Void) {
        for (index, point) in list.enumerated() {
            if index > 0 { add(",") }
            make(&self, point)
        }
    }
}
