import Varlink

/// A GeoJSON file, in parts that fit into a call each.
enum FenceParcels {
    /// A call may have 64 KiB; its other parameters need little.
    private static let mostBytes = 60_000

    /// The features of a file as collections.
    static func parts(_ path: String) throws(CommandError) -> [[String: JSONValue]] {
        let name = path == "-" ? "standard input" : path
        let value: JSONValue
        do {
            value = try JSONValue(parsing: try CaptureFile.read(path, as: "fence file"))
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("\(name) is not JSON: \(error)", .noInput)
        }
        guard let whole = value.object else { throw CommandError("\(name) is not GeoJSON: it holds no object", .noInput) }
        guard let features = whole["features"]?.array else { return [whole] }
        var (parts, part, size): ([[JSONValue]], [JSONValue], Int) = ([], [], 0)
        for (number, feature) in features.enumerated() {
            let length = feature.bytes.count + 1
            guard length <= mostBytes else {
                throw CommandError(
                    "feature \(number + 1) of \(name) has \(Fixed.grouped(length)) bytes; \(Fixed.grouped(mostBytes)) are the most: "
                        + "give its line or rings fewer points", .noInput)
            }
            if size + length > mostBytes {
                parts.append(part)
                (part, size) = ([], 0)
            }
            part.append(feature)
            size += length
        }
        return (parts + [part]).filter { !$0.isEmpty }.map { ["type": "FeatureCollection", "features": .array($0)] }
    }
}
