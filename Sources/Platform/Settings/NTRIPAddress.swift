/// The address of a stream of an NTRIP caster: `ntrip://user@caster.example:2101/MOUNT`, or
/// `ntrips://user@caster.example/MOUNT` over TLS.
///
/// The password is not part of it: an address is visible in the list of processes.
package struct NTRIPAddress: Equatable, Sendable {
    /// The reason why a text is not an address.
    package struct Invalid: Error, Equatable, Sendable {
        /// What is wrong, and the valid form.
        package let reason: String
    }

    /// The caster. The port is 2101 by default, which IANA has assigned to RTCM over the internet,
    /// and 443 over TLS.
    package let caster: HostPort
    /// Whether the connection is encrypted, and the caster proves who it is.
    package let isEncrypted: Bool
    /// The name of the stream.
    package let mountpoint: String
    /// The user of the caster; nil for an open stream.
    package let user: String?

    private static let standardPort: UInt16 = 2101
    private static let encryptedPort: UInt16 = 443
    private static let maxLength = 100
    private static let form = "use ntrip://USER@HOST:PORT/MOUNTPOINT, or ntrips:// over TLS"

    /// Reads an address with the scheme `ntrip` or `http`, or with `ntrips` or `https`.
    package init(_ text: String) throws(Invalid) {
        guard let scheme = ["ntrip://", "http://", "ntrips://", "https://"].first(where: text.hasPrefix) else {
            throw Invalid(reason: NTRIPAddress.form)
        }
        isEncrypted = scheme.hasSuffix("s://")
        let rest = text.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(of: "/") else {
            throw Invalid(reason: "the mountpoint is missing; \(NTRIPAddress.form)")
        }
        var authority = rest[..<slash]
        let mountpoint = rest[rest.index(after: slash)...]
        guard NTRIPAddress.isToken(mountpoint) else {
            throw Invalid(reason: "the mountpoint needs 1 to 100 visible characters; \(NTRIPAddress.form)")
        }
        var user: String?
        if let at = authority.lastIndex(of: "@") {
            let name = authority[..<at]
            guard !name.contains(":") else {
                throw Invalid(reason: "the password must be in a file, not in the address; \(NTRIPAddress.form)")
            }
            guard NTRIPAddress.isToken(name) else { throw Invalid(reason: "the user is invalid") }
            user = String(name)
            authority = authority[authority.index(after: at)...]
        }
        let hasPort = authority.last?.isNumber == true && authority.contains(":") && !authority.hasSuffix("]")
        let complete =
            hasPort
            ? String(authority) : "\(authority):\(isEncrypted ? NTRIPAddress.encryptedPort : NTRIPAddress.standardPort)"
        guard let caster = HostPort(complete), caster.isHost else {
            throw Invalid(reason: "the host is invalid; \(NTRIPAddress.form)")
        }
        self.caster = caster
        self.mountpoint = String(mountpoint)
        self.user = user
    }

    /// Whether a text can be part of a request: visible ASCII only, so that it ends no line.
    private static func isToken(_ text: Substring) -> Bool {
        (1...maxLength).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
    }
}
