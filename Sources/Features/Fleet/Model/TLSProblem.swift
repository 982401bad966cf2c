/// Why OpenSSL ended a connection, read from a line that libmosquitto logs.
package struct TLSProblem: Sendable, Equatable, CustomStringConvertible {
    /// The reason, such as "certificate verify failed".
    package var reason: String

    /// Reads a line such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify
    /// failed` (net_mosq.c of libmosquitto 2.0, ERR_error_string(3)); nil for other lines.
    package init?(logLine line: String) {
        guard line.hasPrefix("OpenSSL Error["), let colon = line.lastIndex(of: ":") else { return nil }
        let text = line[line.index(after: colon)...].drop { $0 == " " }
        reason = text.isEmpty ? "unknown" : String(text)
    }

    /// Whether another attempt seldom helps, as after a certificate that cannot be verified. A
    /// server or a network that ends the connection early is no refusal.
    package var isRefusal: Bool { !reason.hasPrefix("unexpected eof") }

    /// The reason, for messages.
    package var description: String { "TLS: \(reason)" }
}
