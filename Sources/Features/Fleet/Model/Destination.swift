/// A server that positions are reported to.
package struct Destination: Sendable, Equatable {
    /// How the server is reached.
    package enum Transport: String, Sendable {
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
        /// The home location of Home Assistant.
        case homeAssistantHTTP = "homeassistant+http"
        /// The home location of Home Assistant, with TLS.
        case homeAssistantHTTPS = "homeassistant+https"
    }

    /// Why a text is no destination.
    package struct Invalid: Error, Equatable, CustomStringConvertible {
        /// What is wrong.
        package enum Reason: Sendable {
            /// The scheme, the host or the port is missing or has another form.
            case form
            /// It has a user or a password.
            case user
            /// It has a query or a fragment.
            case query
            /// It has a path, which brokers have not.
            case path
            /// A line of a file is a header, but not of a destination over HTTP, or one that the
            /// program sets itself.
            case header
        }

        package static let accepted =
            "mqtt://HOST:PORT, mqtts://HOST:PORT, owntracks+http://HOST:PORT/PATH, owntracks+https://..., "
            + "traccar+http://..., traccar+https://..., "
            + "homeassistant+http://... or homeassistant+https://..."

        package var text: String
        /// What is wrong.
        package var reason = Reason.form
        /// The text without its path and its user, which may be secrets, and what is accepted.
        package var description: String { "\(visible) is not a destination: \(reason.advice)" }

        private var visible: String {
            guard let (scheme, rest) = Destination.divided(text) else { return text.contains("/") ? "the text" : text }
            let server = rest.prefix { !"/?#".contains($0) }
            return "\(scheme)://" + (server.lastIndex(of: "@").map { "...\(server[$0...])" } ?? "\(server)")
        }
    }

    /// How the server is reached.
    package var transport: Transport
    /// The name or the address of the server.
    package var host: String
    package var port: Int
    /// The path with a slash at its start; empty without one.
    package var path: String
    /// The query with its question mark, and further lines of the header: they may be secrets, and
    /// only a file has them. ``name`` and ``fileName`` omit them: with a new key, the records that
    /// wait are kept.
    package private(set) var query = ""
    package private(set) var headers: [String] = []

    /// Reads a destination. Without a port: 1883, 8883, 80, 443, 5055 for Traccar, or 8123
    /// for Home Assistant without TLS.
    ///
    /// An IPv6 address is in brackets.
    ///
    /// - Parameter isSecret: Whether other users cannot read the text, so that it may have a query.
    package init(_ text: String, isSecret: Bool = false) throws(Invalid) {
        guard let (scheme, rest) = Destination.divided(text),
            let transport = Transport(rawValue: scheme.lowercased()),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Invalid(text: text) }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw Invalid(text: text, reason: .user) }
        guard isSecret || !rest.contains("?"), !rest.contains("#") else { throw Invalid(text: text, reason: .query) }
        guard let server = Destination.server(authority) else { throw Invalid(text: text) }
        self.transport = transport
        host = server.host
        port = server.port ?? Destination.defaultPort(transport)
        let path = rest[authority.endIndex...].prefix { $0 != "?" }
        self.path = path == "/" ? "" : String(path)
        query = String(rest[path.endIndex...])
        guard self.path.isEmpty && query.isEmpty || !isMQTT else { throw Invalid(text: text, reason: .path) }
    }

    /// The headers that the program or libcurl sets.
    private static let ownHeaders: Set<String> = [
        "content-type", "content-length", "transfer-encoding", "expect", "host", "connection", "x-limit-u", "x-limit-d",
    ]

    /// Returns whether a line has the form of a header, `Name: value`.
    fileprivate static func isHeader(_ line: some Collection<UInt8>) -> Bool {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        let rest = line.dropFirst(name.count + 1)
        return !name.isEmpty && rest.first == UInt8(ascii: " ")
            && name.allSatisfy {
                "-_".utf8.contains($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
            }
    }

    /// Adds a line of the header; false if that is not allowed.
    fileprivate mutating func add(header line: String) -> Bool {
        let name = line.prefix { $0 != ":" }.lowercased()
        guard !isMQTT, !Destination.ownHeaders.contains(name), line.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return false
        }
        headers.append(line)
        return true
    }

    /// What is before and behind `://`; nil if it is not behind the first colon.
    private static func divided(_ text: String) -> (scheme: Substring, rest: Substring)? {
        let scheme = text.prefix { $0 != ":" }
        let rest = text[scheme.endIndex...]
        return rest.hasPrefix("://") ? (scheme, rest.dropFirst(3)) : nil
    }

    private static func server(_ text: Substring) -> (host: String, port: Int?)? {
        let host: Substring
        var rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[..<end].dropFirst()
            rest = text[end...].dropFirst()
            // An address of one link ends with its interface, such as %eth0.
            guard host.prefix(while: { $0 != "%" }).allSatisfy({ $0.isHexDigit || ":.".contains($0) }),
                host.contains(":")
            else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
            guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || ".-_".contains($0) }) else {
                return nil
            }
        }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.removeFirst() == ":", rest.allSatisfy(\.isNumber), let port = Int(rest), (1...65_535).contains(port)
        else { return nil }
        return (String(host), port)
    }

    private static func defaultPort(_ transport: Transport) -> Int {
        switch transport {
        case .mqtt: 1883
        case .mqtts: 8883
        case .ownTracksHTTP: 80
        case .traccarHTTP: 5055
        case .homeAssistantHTTP: 8123
        case .ownTracksHTTPS, .traccarHTTPS, .homeAssistantHTTPS: 443
        }
    }

    /// The server without path, for messages.
    package var name: String { "\(transport.rawValue)://\(host):\(port)" }

    /// A name for the files of this destination: letters, digits, dots and hyphens. A path may
    /// contain a token, so the name has its hash.
    package var fileName: String {
        let hash = path.isEmpty ? "" : "-" + FenceHash.text(of: path)
        return Destination.fileName("\(transport.rawValue)-\(host)-\(port)") + hash
    }

    /// The name that files had in earlier versions, with the path.
    package var formerFileName: String { Destination.fileName("\(transport.rawValue)-\(host)-\(port)\(path)") }

    private static func fileName(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }

    /// Whether the server is an MQTT broker.
    package var isMQTT: Bool { transport == .mqtt || transport == .mqtts }
    /// Whether the connection uses TLS.
    package var isEncrypted: Bool { [.mqtts, .ownTracksHTTPS, .traccarHTTPS, .homeAssistantHTTPS].contains(transport) }
    package var isTraccar: Bool { transport == .traccarHTTP || transport == .traccarHTTPS }
    /// Whether a header of the destination authorises its requests.
    package var hasAuthorization: Bool { headers.contains { $0.lowercased().hasPrefix("authorization:") } }
    /// Whether the server is a Home Assistant whose home location follows the device.
    package var isHomeAssistant: Bool { transport == .homeAssistantHTTP || transport == .homeAssistantHTTPS }

    /// Returns the address for libcurl.
    ///
    /// - Parameter own: What the program adds to the query.
    package func httpURL(adding own: String = "") -> String {
        let separator = own.isEmpty ? "" : query.count > 1 ? "&" : "?"
        let query = (self.query.count > 1 ? self.query : "") + separator + own
        let name = host.contains(":") ? "[\(host)]" : host
        let standard = isHomeAssistant ? HomeFollower.path : isTraccar ? "/" : "/pub"
        let path = self.path.isEmpty ? standard : self.path
        return "\(isEncrypted ? "https" : "http")://\(name):\(port)\(path)\(query)"
    }
}

extension Destination.Invalid.Reason {
    /// What to write instead.
    var advice: String {
        let accepted = "use \(Destination.Invalid.accepted)"
        return switch self {
        case .form: accepted
        case .user:
            "omit the user and the password: use the option user and the file password; \(accepted)"
        case .query:
            "omit the fragment; a query, such as a key, belongs into a file of destinations over HTTP; \(accepted)"
        case .path: "omit the path and the query: a broker has none; \(accepted)"
        case .header:
            "write headers such as \"X-Api-Key: VALUE\" below a destination over HTTP, and none that this program "
                + "sets, such as Content-Type"
        }
    }
}

/// The destinations of a file, one in each line. Lines such as `X-Api-Key: VALUE` behind that of a
/// destination are sent in the header of its requests. Spaces around a line, empty lines and lines
/// that begin with `#` are skipped.
package struct DestinationList: Sendable, Equatable {
    /// The maximum length of a file in bytes.
    package static let maxLength = 65_536

    /// Why a file has no destinations. The text of the file is not part of it: it may be a secret.
    package enum Invalid: Error, Equatable, CustomStringConvertible {
        /// This line, counted from 1, is no destination.
        case line(Int, Destination.Invalid.Reason)
        /// There is no line with a destination.
        case empty
        /// The file is longer than ``DestinationList/maxLength``.
        case tooLong

        /// The reason and what is accepted.
        package var description: String {
            switch self {
            case .line(let number, let reason): "line \(number) is not a destination: \(reason.advice)"
            case .empty: "there is no destination: write one in each line, such as mqtts://broker.example:8883"
            case .tooLong: "it has more than \(DestinationList.maxLength) bytes"
            }
        }
    }

    /// The destinations in the order of the file; at least one.
    package var destinations: [Destination] = []

    /// Reads the content of a file.
    package init(_ bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= DestinationList.maxLength else { throw .tooLong }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = DestinationList.trimmed(line)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            guard !Destination.isHeader(text) else {
                let line = String(decoding: text, as: UTF8.self)
                let isAdded = destinations.indices.last.map { destinations[$0].add(header: line) } ?? false
                guard isAdded else { throw .line(index + 1, .header) }
                continue
            }
            do throws(Destination.Invalid) {
                destinations.append(try Destination(String(decoding: text, as: UTF8.self), isSecret: true))
            } catch {
                throw .line(index + 1, error.reason)
            }
        }
        if destinations.isEmpty { throw .empty }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = line.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
        return start[...last]
    }
}
