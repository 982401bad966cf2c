import Geodesy
import Glibc
import Places
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink
import VarlinkClient

/// The items that programs have indexed and that a text names.
struct IndexedItems {
    /// The answer of the service; it has an item at least.
    let reply: SearchIndexReply

    /// How long the command waits for the service. It includes its start.
    private static let timeout = Duration.seconds(5)

    /// Searches the index; nil if it has no such item, or if there is no index.
    ///
    /// - Parameter daemon: The socket of the daemon, beside which that of the index is.
    init?(named text: String, near: Coordinate?, limit: Int, beside daemon: String) {
        let point = near.map { Point(latitude: $0.latitude, longitude: $0.longitude) }
        let parameters = SearchIndexParameters(text: text, near: point, limit: limit, allPrograms: true)
        do throws(ClientError) {
            let client = try BlockingClient.connect(path: ServiceSocket.places(beside: daemon), timeout: Self.timeout)
            reply = try client.call(IndexMethods.search, with: parameters, timeout: Self.timeout)
        } catch {
            let isAbsent =
                switch error {
                case .connecting(_, let code): code == ENOENT || code == ECONNREFUSED
                // A service without an index.
                case .failed(_, let refusal): refusal.name.hasSuffix("NotFound")
                default: false
                }
            if !isAbsent { StandardError.line("items of programs are not searched: \(error)") }
            return nil
        }
        guard !reply.items.isEmpty else { return nil }
    }

    /// One line per item: its position, its title, its distance and its program, as far as they are
    /// known.
    var lines: [String] {
        reply.items.map { found in
            let attributes = found.item.attributes
            let title = IndexedItem.titles.lazy.compactMap { attributes[$0]?.string }.first
            var parts: [String] = []
            if let latitude = attributes["latitude"]?.double, let longitude = attributes["longitude"]?.double {
                parts.append("\(latitude),\(longitude)")
            }
            parts.append(title ?? found.item.identifier)
            if let distance = found.distance { parts.append(LengthText.metres(distance)) }
            return (parts + [found.program]).joined(separator: " · ")
        }
    }
}
