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
    var daemonError: String?
    var bytesThisMonth: Int

    /// Returns the states of all destinations of the service in a directory; none without its file.
    static func reports(in directory: String, name: String) -> [FleetReport] {
        guard let file = fopen("\(directory)/status.json", "re") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: FleetReport.maxLength)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let states = (try? JSONValue(parsing: bytes))?["destinations"]?.array ?? []
        return states.compactMap { FleetReport($0, name: name) }
    }

    private init?(_ value: JSONValue, name: String) {
        guard let destination = value["destination"]?.string else { return nil }
        self.name = name
        self.destination = destination
        connected = value["connected"]?.bool ?? false
        points = Int(clamping: value["points"]?.int ?? 0)
        events = Int(clamping: value["events"]?.int ?? 0)
        oldest = value["oldest"]?.string
        lastAcknowledged = value["lastAcknowledged"]?.string
        lastError = value["lastError"]?.string
        daemonError = value["daemonError"]?.string
        bytesThisMonth = Int(clamping: value["bytesThisMonth"]?.int ?? 0)
    }

    /// The states of all services, by name.
    static var ofServices: [FleetReport] {
        guard let directory = opendir(services) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { reports(in: "\(services)/\($0)", name: $0) }
    }

    /// The state as text.
    var line: String {
        var parts = ["\(name ?? ""): \(destination) \(connected ? "connected" : "not connected")"]
        parts.append("\(points) positions and \(events) events pending" + (oldest.map { " since \($0)" } ?? ""))
        parts.append(lastAcknowledged.map { "last acknowledgement \($0)" } ?? "no acknowledgement yet")
        parts.append("\(bytesThisMonth) bytes this month")
        if let lastError { parts.append(lastError) }
        if let daemonError { parts.append("no positions: \(daemonError)") }
        return parts.joined(separator: " · ")
    }
}
