/// A server that positions are reported to.
public struct Destination: Sendable, Equatable {
    /// How the server is reached.
    public enum Transport: String, Sendable {
        /// OwnTracks over MQTT.
        case mqtt
        /// OwnTracks over MQTT with TLS.
        case mqtts
        /// OwnTracks over HTTP.
        case ownTracksHTTP = "owntracks+http"
        /// OwnTracks over HTTP with TLS.
        case ownTracksHTTPS = "owntracks+https"
        /// Traccar over HTTP.
        case traccarHTTP = "traccar+http"
        /// Traccar over HTTP with TLS.
        case traccarHTTPS = "traccar+https"
    }

    /// Why a text is no destination.
    public struct Invalid: Error, Equatable, CustomStringConvertible {
        /// What is accepted.
        public static let accepted =
            "mqtt://HOST:PORT, mqtts://HOST:PORT, owntracks+http://HOST:PORT/PATH, owntracks+https://..., "
            + "traccar+http://... or traccar+https://..."

        /// The text.
        public var text: String
        /// The text without its path and its user, which may be secrets, and what is accepted.
        public var description: String { "\(visible) is not a destination: use \(Invalid.accepted)" }

        private var visible: String {
            guard let mark = text.firstRange(of: "://") else { return text.contains("/") ? "the text" : text }
            let server = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
            return text[..<mark.upperBound] + (server.lastIndex(of: "@").map { "...\(server[$0...])" } ?? "\(server)")
        }
    }

    /// How the server is reached.
    public var transport: Transport
    /// The name or the address of the server.
    public var host: String
    /// The port.
    public var port: Int
    /// The path with a slash at its start; empty without one.
    public var path: String

    /// Reads a destination. Without a port: 1883, 8883, 80, 443, or 5055 for Traccar.
    public init(_ text: String) throws(Invalid) {
        guard let mark = text.firstRange(of: "://"),
            let transport = Transport(rawValue: String(text[..<mark.lowerBound]))
        else { throw Invalid(text: text) }
        let rest = text[mark.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var host = rest[..<slash]
        var port = Destination.defaultPort(transport)
        let isBareAddress = host.hasPrefix("[") && host.hasSuffix("]")
        if !isBareAddress, let colon = host.lastIndex(of: ":") {
            guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number) else {
                throw Invalid(text: text)
            }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let isValid =
            !host.isEmpty && !host.utf8.contains(UInt8(ascii: "@")) && rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isValid else { throw Invalid(text: text) }
        self.transport = transport
        self.host = String(host)
        self.port = port
        path = rest[slash...] == "/" ? "" : String(rest[slash...])
    }

    private static func defaultPort(_ transport: Transport) -> Int {
        switch transport {
        case .mqtt: 1883
        case .mqtts: 8883
        case .ownTracksHTTP: 80
        case .traccarHTTP: 5055
        case .ownTracksHTTPS, .traccarHTTPS: 443
        }
    }

    /// The server without path, for messages.
    public var name: String { "\(transport.rawValue)://\(host):\(port)" }

    /// A name for the files of this destination: letters, digits, dots and hyphens. A path may
    /// contain a token, so the name has its hash.
    public var fileName: String {
        let hash = path.isEmpty ? "" : "-" + FenceHash.text(of: path)
        return Destination.fileName("\(transport.rawValue)-\(host)-\(port)") + hash
    }

    /// The name that files had in earlier versions, with the path.
    public var formerFileName: String { Destination.fileName("\(transport.rawValue)-\(host)-\(port)\(path)") }

    private static func fileName(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }

    /// Whether the server is an MQTT broker.
    public var isMQTT: Bool { transport == .mqtt || transport == .mqtts }
    /// Whether the connection uses TLS.
    public var isEncrypted: Bool { [.mqtts, .ownTracksHTTPS, .traccarHTTPS].contains(transport) }
    /// Whether the server is a Traccar.
    public var isTraccar: Bool { transport == .traccarHTTP || transport == .traccarHTTPS }

    /// The address for libcurl, without a query.
    public var httpURL: String {
        let name = host.contains(":") ? "[\(host)]" : host
        let path = self.path.isEmpty && !isTraccar ? "/pub" : self.path.isEmpty ? "/" : self.path
        return "\(isEncrypted ? "https" : "http")://\(name):\(port)\(path)"
    }
}
