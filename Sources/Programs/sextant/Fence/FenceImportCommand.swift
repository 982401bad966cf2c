import ArgumentParser
import Geofencing
import SextantAPI
import Varlink

/// `sextant fence import`: adds the fences of a file.
struct FenceImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the fences of a GeoJSON file.",
        discussion: """
            Each Feature (RFC 7946) is a fence. Its name is the property "identifier" or its id. A Point needs the \
            property "radius" in metres, a LineString "width" in metres. The properties "dwell" (seconds), "expiry" \
            and "assuming" are optional. All other properties are stored as metadata; one that resembles a property \
            above is refused. Replaces fences of the same name. Requires --monitor.
            """)

    @Argument(help: "GeoJSON file; - for standard input.", completion: .file(extensions: ["geojson", "json"]))
    var file: String

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard options.monitor != nil else { throw ValidationError("name the monitor of the fences with --monitor") }
    }

    func run() throws {
        guard let monitor = options.monitor else { return }
        let client = try FenceClient(options)
        var sum = Addition(added: 0, replaced: 0, unmonitored: [])
        for part in try FeatureBatches.parts(file) {
            let parameters = ImportParameters(name: monitor, geojson: part, program: client.owner)
            let reply = try client.call(MonitorMethods.importConditions, with: parameters)
            (sum.added, sum.replaced) = (sum.added + reply.added, sum.replaced + reply.replaced)
            sum.unmonitored += reply.unmonitored
        }
        if options.output.isJSON { return try JSONLineWriter.print([sum]) }
        let replaced = sum.replaced > 0 ? ", \(DecimalText.grouped(sum.replaced)) replaced" : ""
        let noun = sum.added == 1 ? "fence" : "fences"
        let added = "added \(DecimalText.grouped(sum.added)) \(noun) to the monitor \(monitor)"
        try StandardOutput.write(lines: [added + replaced])
        FenceFormatter.warn(unmonitored: sum.unmonitored)
        let records = (try? client.records(of: monitor)) ?? []
        let refused = records.filter { !$0.permission.isEmpty }
        if let names = FenceFormatter.names(refused.map(\.condition.identifier)), let first = refused.first {
            StandardError.line(
                "sextant: \(names) in the monitor \(monitor) \(refused.count == 1 ? "is" : "are") not monitored: "
                    + first.permission.reason(for: client.owner))
        } else if let names = FenceFormatter.names(records.filter(\.radiusTooSmall).map(\.condition.identifier)) {
            StandardError.line(
                "sextant: \(names) in the monitor \(monitor): \(FenceFormatter.tooSmall()); "
                    + FenceFormatter.sizeRemedy)
        }
    }
}

/// Splits a GeoJSON file into parts that each fit into one call.
private enum FeatureBatches {
    /// The maximum size of a part. A call can have 64 KiB; its other parameters are small.
    private static let maxBytes = 60_000

    /// Returns the features of a file as collections.
    static func parts(_ path: String) throws(CommandError) -> [[String: JSONValue]] {
        let name = path == "-" ? "standard input" : path
        let bytes = try FencesFile.bytes(path, name: name)
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw CommandError("cannot use \(name): \(GeoJSONError(error, in: bytes))", exitStatus: .noInput)
        }
        guard let whole = value.object else {
            throw CommandError("cannot use \(name): GeoJSON must be an object", exitStatus: .noInput)
        }
        guard let features = whole["features"]?.array else { return [whole] }
        var parts: [[JSONValue]] = []
        var part: [JSONValue] = []
        var size = 0
        for (number, feature) in features.enumerated() {
            let length = feature.bytes.count + 1
            guard length <= maxBytes else {
                throw CommandError(
                    "feature \(number + 1) of \(name) has \(DecimalText.grouped(length)) bytes; the limit is "
                        + "\(DecimalText.grouped(maxBytes)): "
                        + "reduce the number of points of its line or rings", exitStatus: .noInput)
            }
            if size + length > maxBytes {
                parts.append(part)
                (part, size) = ([], 0)
            }
            part.append(feature)
            size += length
        }
        return (parts + [part]).filter { !$0.isEmpty }.map { ["type": "FeatureCollection", "features": .array($0)] }
    }
}

/// `sextant fence export`: prints fences as GeoJSON.
struct FenceExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the fences of a monitor as GeoJSON, in the format of import.",
        discussion: "Requires --monitor.")

    @OptionGroup var options: FenceOptions

    func validate() throws {
        guard options.monitor != nil else {
            throw ValidationError("name the monitor with --monitor; list monitors with: sextant fence list")
        }
    }

    func run() throws {
        guard let monitor = options.monitor else { return }
        let client = try FenceClient(options)
        try client.checkMonitor()
        var features: [JSONValue] = []
        var after: String?
        repeat {
            let page = PageParameters(name: monitor, after: after, program: client.owner)
            let reply = try client.call(MonitorMethods.exportConditions, with: page)
            features += reply.geojson["features"]?.array ?? []
            after = reply.next
        } while after != nil
        // One feature per line, so that two exports can be compared.
        var text = Array("{\"type\":\"FeatureCollection\",\"features\":[\n".utf8)
        for (index, feature) in features.enumerated() {
            text += feature.bytes + Array((index + 1 < features.count ? ",\n" : "\n").utf8)
        }
        try StandardOutput.write(json: text + Array("]}\n".utf8))
    }
}
