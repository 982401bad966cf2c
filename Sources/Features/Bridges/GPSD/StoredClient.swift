/// A client that watches, as the name of its connection in the store of the service manager
/// (sd_notify(3), FDNAME). After a crash of the bridge it continues where it was.
///
/// The name has the number of the connection and the policy: `gpsd.17.jr2`. A selected device is
/// not part of it: the path may be longer than a name.
package struct StoredClient: Equatable, Sendable {
    /// The policy, which has no device.
    package let policy: WatchPolicy
    /// The name, unique among the clients of one process.
    package let name: String

    private static let prefix = "gpsd."

    init(_ id: ClientID, _ policy: WatchPolicy) {
        self.policy = policy
        let flags = (policy.json ? "j" : "") + (policy.nmea ? "n" : "") + (policy.pps ? "p" : "") + "r\(policy.raw)"
        name = "\(StoredClient.prefix)\(id).\(flags)"
    }

    /// Reads a name; nil for the name of another descriptor.
    package init?(name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, name.hasPrefix(StoredClient.prefix), let raw = parts[2].last?.wholeNumberValue,
            (0...2).contains(raw)
        else {
            return nil
        }
        var policy = WatchPolicy()
        policy.enable = true
        policy.json = parts[2].contains("j")
        policy.nmea = parts[2].contains("n")
        policy.pps = parts[2].contains("p")
        policy.raw = raw
        self.policy = policy
        self.name = name
    }
}
