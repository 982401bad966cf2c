import Glibc
import SextantAPI
import Varlink

/// The state of the reports to one server, with the name of the service that makes them.
struct NamedFleetStatus: Encodable {
    private static let services = "/run/sextant-fleet"
    private static let maxLength = 65_536

    /// The name of the service, or the directory.
    var name: String
    /// The state as the program has written it.
    var status: FleetStatus

    private enum CodingKeys: String, CodingKey { case name }

    /// Writes the name beside the members of the state.
    func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }

    /// Returns the states of all destinations of the service in a directory; none without its file.
    static func all(in directory: String, name: String) -> [NamedFleetStatus] {
        guard let file = fopen("\(directory)/status.json", "re") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: maxLength)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        let members = (try? JSONValue(parsing: bytes))?.object ?? [:]
        let list = try? Reply(parameters: members).decode(FleetStatusList.self)
        return (list?.destinations ?? []).map { NamedFleetStatus(name: name, status: $0) }
    }

    /// The states of all services, by name.
    static var ofServices: [NamedFleetStatus] {
        guard let directory = opendir(services) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().flatMap { all(in: "\(services)/\($0)", name: $0) }
    }

    /// The state as text.
    var line: String {
        var parts = ["\(name): \(status.destination) \(status.isConnected ? "connected" : "not connected")"]
        parts.append(
            "\(status.points) positions and \(status.events) events pending"
                + (status.oldest.map { " since \(TimeText.moment($0))" } ?? ""))
        parts.append(
            status.lastAcknowledged.map { "last acknowledgement \(TimeText.moment($0))" } ?? "no acknowledgement yet")
        if let refused = status.refusedRecords { parts.append("\(refused) refused and given up") }
        parts.append("\(status.bytes) bytes this month")
        if let lastError = status.lastError { parts.append(lastError) }
        if let daemonError = status.daemonError { parts.append("no positions: \(daemonError)") }
        return parts.joined(separator: " · ")
    }
}
