/// The kind of network that carries the messages, with the letters of OwnTracks' member `conn`.
///
/// OwnTracks has no letter for a cable.
package enum NetworkKind: String, Sendable {
    /// A wireless LAN.
    case wifi = "w"
    /// A modem for a mobile network.
    case mobile = "m"

    /// Reads the file `uevent` of an interface (drivers/base/core.c of Linux); nil for a cable.
    ///
    /// Modems are of the type `wwan`, or of `ppp` if a program dials.
    package init?(uevent: String) {
        let prefix = "DEVTYPE="
        guard let line = uevent.split(separator: "\n").first(where: { $0.hasPrefix(prefix) }) else { return nil }
        switch line.dropFirst(prefix.count) {
        case "wlan": self = .wifi
        case "wwan", "ppp": self = .mobile
        default: return nil
        }
    }
}

/// The route to all other networks.
package struct DefaultRoute: Sendable, Equatable {
    /// RTF_UP and RTF_REJECT of <linux/route.h>.
    private static let (isUp, isRejected): (UInt32, UInt32) = (0x1, 0x200)

    /// The name of the interface, such as `wlan0`.
    package let interface: String

    /// Finds the route with the lowest metric, with IPv4 first.
    ///
    /// - Parameters:
    ///   - ipv4: The file `/proc/net/route`.
    ///   - ipv6: The file `/proc/net/ipv6_route`.
    package init?(ipv4: String, ipv6: String) {
        guard let interface = DefaultRoute.interface(ipv4: ipv4) ?? DefaultRoute.interface(ipv6: ipv6) else {
            return nil
        }
        self.interface = interface
    }

    /// The columns are interface, destination, gateway, flags, references, uses, metric and mask.
    private static func interface(ipv4: String) -> String? {
        let routes = ipv4.split(separator: "\n").dropFirst().compactMap { line -> (name: Substring, metric: UInt32)? in
            let columns = line.split { $0 == "\t" || $0 == " " }
            guard columns.count >= 8, UInt32(columns[1], radix: 16) == 0, UInt32(columns[7], radix: 16) == 0,
                let flags = UInt32(columns[3], radix: 16), isUsable(flags), let metric = UInt32(columns[6])
            else { return nil }
            return (columns[0], metric)
        }
        return routes.min { $0.metric < $1.metric }.map { String($0.name) }
    }

    /// The columns are destination, its length, source, its length, gateway, metric, references,
    /// uses, flags and interface.
    private static func interface(ipv6: String) -> String? {
        let routes = ipv6.split(separator: "\n").compactMap { line -> (name: Substring, metric: UInt32)? in
            let columns = line.split(separator: " ")
            guard columns.count >= 10, columns[0].allSatisfy({ $0 == "0" }), UInt32(columns[1], radix: 16) == 0,
                let flags = UInt32(columns[8], radix: 16), isUsable(flags), columns[9] != "lo",
                let metric = UInt32(columns[5], radix: 16)
            else { return nil }
            return (columns[9], metric)
        }
        return routes.min { $0.metric < $1.metric }.map { String($0.name) }
    }

    private static func isUsable(_ flags: UInt32) -> Bool { flags & isUp != 0 && flags & isRejected == 0 }
}
