import Glibc

/// The captures of this repository.
enum OwnCaptures {
    static let names = [
        "ublox-6", "ublox-m8", "mtk", "sirf", "casic", "garmin", "quectel", "cold-start", "cold-start-clock", "tunnel",
        "midnight",
        "rollover", "multi-constellation-10hz", "corrupt-lines", "no-date",
    ]
    private static let folder =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/captures/"

    struct Unreadable: Error { let path: String }

    static func read(_ name: String) throws -> [UInt8] {
        let path = folder + name + ".nmea"
        guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }
}
