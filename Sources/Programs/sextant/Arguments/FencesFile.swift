import Geofencing

/// The file given with `--fences`.
enum FencesFile {
    static let fileExtensions = ["geojson", "json"]

    /// The description of the file format for the help of commands.
    static let help = """
        --fences takes GeoJSON with one Feature per condition: a Point with \"radius\" (metres) in its properties, a \
        Polygon, or a LineString with \"width\" (metres). The properties also accept \"identifier\" (the name), \
        \"assuming\" (satisfied, unsatisfied), \"dwell\" (seconds) and \"expiry\" (RFC 3339).
        """

    /// Returns the text of a GeoJSON file; `-` is standard input. Ends at the first shape with too
    /// many points, before the rest is read.
    ///
    /// - Parameter name: The name of the file in error messages.
    static func bytes(_ path: String, name: String) throws(CommandError) -> [UInt8] {
        var counter = PointCounter()
        var isFirst = true
        return try CaptureFile.read(path, as: "GeoJSON file") { part throws(CommandError) in
            if isFirst, isXML(part) {
                throw CommandError(
                    "\(name) is XML, such as KML or GPX; fences are read from GeoJSON only: convert it, such as with "
                        + "ogr2ogr -f GeoJSON fences.geojson \(name)", exitStatus: .noInput)
            }
            isFirst = false
            do throws(GeoJSONError) {
                try counter.process(part)
            } catch {
                throw CommandError("cannot use \(name): \(error)", exitStatus: .noInput)
            }
        }
    }

    /// Whether a file begins as XML does, perhaps after a byte order mark. JSON never begins so.
    private static func isXML(_ bytes: ArraySlice<UInt8>) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }

    /// Returns the conditions of a file; `-` is standard input. A single condition without a name
    /// gets the name of the file.
    static func read(_ path: String) throws(CommandError) -> [FenceFeature] {
        let bytes = try bytes(path, name: path)
        let features: [FenceFeature]
        do throws(GeoJSONError) {
            features = try FeatureCollection(parsing: bytes, unnamed: CaptureFile.receiverName(of: path)).features
        } catch {
            throw CommandError("cannot use \(path): \(error)", exitStatus: .noInput)
        }
        guard !features.isEmpty else {
            throw CommandError("\(path) contains no conditions: its list of features is empty", exitStatus: .noInput)
        }
        return features
    }
}
