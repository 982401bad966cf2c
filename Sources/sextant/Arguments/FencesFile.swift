import GeoJSON

/// The file given with `--fences`.
enum FencesFile {
    static let fileExtensions = ["geojson", "json"]

    /// The description of the file format for the help of commands.
    static let help = """
        --fences takes GeoJSON with one Feature per condition: a Point with \"radius\" (metres) in its properties, a \
        Polygon, or a LineString with \"width\" (metres). The properties also accept \"identifier\" (the name), \
        \"assuming\" (satisfied, unsatisfied), \"dwell\" (seconds) and \"expiry\" (RFC 3339).
        """

    /// Returns the conditions of a file; `-` is standard input. A single condition without a name
    /// gets the name of the file.
    static func read(_ path: String) throws(CommandError) -> [FenceFeature] {
        let bytes = try CaptureFile.read(path, as: "GeoJSON file")
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
