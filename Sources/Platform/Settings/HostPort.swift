/// A host and a port: `127.0.0.1:2947`, `[::1]:2947`, `localhost:2947`.
package struct HostPort: Equatable, Sendable, CustomStringConvertible {
    /// The name or address, without brackets.
    package let host: String
    /// The port, at least 1.
    package let port: UInt16

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

    /// Whether the host can be a name or an address: 1 to 253 letters, digits, dots, hyphens,
    /// underscores and colons, with a letter or a digit first (RFC 1123, section 2.1, and
    /// addresses of IPv6).
    package var isHost: Bool {
        let bytes = Array(host.utf8)
        guard let first = bytes.first, bytes.count <= 253, first == 58 || HostPort.isAlphanumeric(first) else {
            return false
        }
        // A colon is part of addresses only, so that a wrong port is not read as part of a name.
        let isNumeric = bytes.contains(58)
        return bytes.allSatisfy { byte in
            isNumeric
                ? byte == 58 || byte == 46 || HostPort.isHexadecimal(byte)
                : HostPort.isAlphanumeric(byte) || [45, 46, 95].contains(byte)
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}
