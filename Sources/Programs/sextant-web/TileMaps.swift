import SQLite
import SystemCalls
import Varlink

/// Raster maps of the administrator: a folder of MBTiles (version 1.3).
///
/// A file is opened for each request: maps are rarely used, and may be replaced at any time.
struct TileMaps {
    private static let maxMaps = 32
    private static let maxTile = 1 << 20
    private static let types = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    ]
    private static let suffix = ".mbtiles"

    private let folder: String

    /// - Parameter folder: The path of the folder, which may be missing.
    init(in folder: String) { self.folder = folder }

    /// The answer to a request for `/tiles`, the list, or for `/tiles/NAME/ZOOM/COLUMN/ROW`, whose
    /// rows count from the north.
    func answer(to path: String) -> HTTPResponse {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        if parts.isEmpty { return .data(JSONValue.object(["maps": .array(list)]).bytes) }
        guard parts.count == 4, let zoom = Int64(parts[1]), (0...30).contains(zoom), let column = Int64(parts[2]),
            let row = Int64(parts[3]), case let size = Int64(1) << zoom, (0..<size).contains(column),
            (0..<size).contains(row), names.contains(parts[0])
        else {
            return .missing
        }
        return tile(of: parts[0], zoom, column, size - 1 - row) ?? .missing
    }

    private var names: [String] {
        let files = (try? Directory.names(in: folder)) ?? []
        let names = files.filter { $0.hasSuffix(TileMaps.suffix) && !$0.hasPrefix(".") }
        return names.sorted().prefix(TileMaps.maxMaps).map { String($0.dropLast(TileMaps.suffix.count)) }
    }

    /// The maps with their metadata, as the files state it. Files that are no raster maps are left
    /// out.
    private var list: [JSONValue] {
        names.compactMap { name in
            guard let values = try? metadata(of: name), TileMaps.types[values["format"] ?? ""] != nil else {
                return nil
            }
            let kept = values.filter {
                ["name", "attribution", "minzoom", "maxzoom", "bounds", "format"].contains($0.key)
            }
            return ["map": .string(name), "metadata": .object(kept.mapValues { .string($0) })]
        }
    }

    private func open(_ name: String) throws(StoreError) -> Database {
        try Database(readingOnly: "\(folder)/\(name)\(TileMaps.suffix)")
    }

    private func metadata(of name: String) throws(StoreError) -> [String: String] {
        let statement = try open(name).prepare("SELECT name, value FROM metadata LIMIT 64", for: "reading")
        var values: [String: String] = [:]
        while try statement.step() { values[statement.text(0)] = statement.text(1) }
        return values
    }

    private func tile(of name: String, _ zoom: Int64, _ column: Int64, _ row: Int64) -> HTTPResponse? {
        let found = try? open(name).prepare(
            "SELECT tile_data, (SELECT value FROM metadata WHERE name = 'format') FROM tiles "
                + "WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3 AND length(tile_data) <= ?4",
            for: "reading"
        ).first(.integer(zoom), .integer(column), .integer(row), .integer(Int64(TileMaps.maxTile))) { statement in
            (bytes: statement.withBytes(0) { Array($0) }, format: statement.text(1))
        }
        guard let tile = found ?? nil, let type = TileMaps.types[tile.format] else { return nil }
        return HTTPResponse(
            200, type: type, headers: [(name: "Cache-Control", value: "private, max-age=3600")], .bytes(tile.bytes))
    }
}
