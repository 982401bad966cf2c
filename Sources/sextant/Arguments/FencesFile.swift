import GeoJSON

/// The file of `--fences`.
enum FencesFile {
    static let endings = ["geojson", "json"]

    /// What such a file holds, for the help of commands.
    static let help = """
        --fences takes GeoJSON, a Feature a condition: a Point with \"radius\" (metres) in its properties, a Polygon, or a LineString with \
        \"width\" (metres). \"identifier\" there names it; \"assuming\" (satisfied, unsatisfied), \"dwell\" (seconds) and \"expiry\" \
        (RFC 3339) may be there too.
        """

    /// The conditions of a file; `-` is standard input. A single one without a name is called after the file.
    static func read(_ path: String) throws(CommandError) -> [FenceFeature] {
        let bytes = try CaptureFile.read(path, as: "GeoJSON file")
        let features: [FenceFeature]
        do throws(FeatureFlaw) {
            features = try FeatureCollection(parsing: bytes, unnamed: CaptureFile.receiverName(of: path)).features
        } catch {
            throw CommandError("\(path) cannot be used: \(error)", .noInput)
        }
        guard !features.isEmpty else { throw CommandError("\(path) holds no conditions: its list of features is empty", .noInput) }
        return features
    }
}
