import Glibc
import Varlink

/// The state of one `sextant-fleet`, as it has written it.
struct FleetReport: Codable {
    private static let services = "/run/sextant-fleet"
    private static let maxLength = 65_536

    /// The name of the service, or the directory.
    var name: String?
    var destination: String
    var connected: Bool
    var points: Int
    var events: Int
    var oldest: String?
    var lastAcknowledged: String?
    var lastError: String?
    var bytesThisMonth: Int

    /// Reads the state in a directory; nil if there is none.
    init?(directory: String, name: String) {
        guard let file = fopen("\(directory)/status.json", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: FleetReport.maxLength)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        guard let value = try? JSONValue(parsing: bytes), let destination = value["destination"]?.string else {
            return nil
        }
        self.name = name
        self.destination = destination
        connected = value["connected"]?.bool ?? false
        points = Int(clamping: value["points"]?.int ?? 0)
        events = Int(clamping: value["events"]?.int ?? 0)
        oldest = value["oldest"]?.string
        lastAcknowledged = value["lastAcknowledged"]?.string
        lastError = value["lastError"]?.string
        bytesThisMonth = Int(clamping: value["bytesThisMonth"]?.int ?? 0)
    }

    /// The states of all services, by name.
    static var ofServices: [FleetReport?] {
        guard let directory = opendir(services) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().map {
            FleetReport(directory: "\(services)/\($0)", name: $0)
        }
    }

    /// The state as text.
    var line: String {
        var parts = ["\(name ?? ""): \(destination) \(connected ? "connected" : "not connected")"]
        parts.append("\(points) positions and \(events) events pending" + (oldest.map { " since \($0)" } ?? ""))
        parts.append(lastAcknowledged.map { "last acknowledgement \($0)" } ?? "no acknowledgement yet")
        parts.append("\(bytesThisMonth) bytes this month")
        if let lastError { parts.append(lastError) }
        return parts.joined(separator: " · ")
    }
}
