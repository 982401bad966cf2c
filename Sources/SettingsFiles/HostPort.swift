/// A host and a port: `127.0.0.1:2947`, `[::1]:2947`, `localhost:2947`.
package struct HostPort: Equatable, Sendable, CustomStringConvertible {
    /// The name or address, without brackets.
    package let host: String
    /// The port, at least 1.
    package let port: UInt16

    /// Creates a host with a port.
    package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// The host and the port, with brackets around an address of IPv6.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads `HOST:PORT`; nil for another form. The host is not looked up.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }
}
