import Varlink
import Wire

/// The request for a stream of an NTRIP caster.
package struct NTRIPRequest: Equatable, Sendable {
    /// The version of the protocol. Version 2 is HTTP 1.1 (RTCM 10410.1); version 1 is older than
    /// the standard, and some casters know nothing else.
    package enum Version: Sendable {
        /// HTTP 1.0 with the answer `ICY 200 OK`.
        case one
        /// HTTP 1.1, with parts of any length.
        case two
    }

    /// The caster as the user named it, with the port.
    private let host: String
    private let mountpoint: String
    private let user: String?
    private let password: String
    /// The name and version of this program.
    private let agent: String

    /// Creates a request. The texts contain no control characters.
    package init(host: String, mountpoint: String, user: String?, password: String, agent: String) {
        self.host = host
        self.mountpoint = mountpoint
        self.user = user
        self.password = password
        self.agent = agent
    }

    /// Returns the bytes to send.
    ///
    /// - Parameter position: A GGA sentence without its line end. A virtual reference station needs
    ///   it, and version 2 has a line for it.
    package func bytes(_ version: Version, position: String?) -> [UInt8] {
        var lines = ["GET /\(mountpoint) HTTP/1.\(version == .two ? 1 : 0)"]
        if version == .two {
            lines.append("Host: \(host)")
            lines.append("Ntrip-Version: Ntrip/2.0")
        }
        lines.append("User-Agent: NTRIP \(agent)")
        if let user { lines.append("Authorization: Basic \(Base64.encode(Array("\(user):\(password)".utf8)))") }
        if version == .two {
            if let position { lines.append("Ntrip-GGA: \(position)") }
            lines.append("Connection: close")
        }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }
}
