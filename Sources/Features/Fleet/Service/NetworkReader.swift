import Chronology

/// Reads from the kernel which kind of network the device uses, at most once a minute.
final class NetworkReader {
    private static let interval = Instant.Span.seconds(60)
    /// Enough for the default route, which the kernel lists among the first.
    private static let maxLength = 16_384

    private let routes: String
    private let interfaces: String
    private var kind: NetworkKind?
    private var next: Instant?

    /// - Parameters:
    ///   - routes: The directory with the routes. The service sees no other process in `/proc`.
    ///   - interfaces: The directory with one directory for each interface.
    init(routes: String = "/proc/self/net", interfaces: String = "/sys/class/net") {
        self.routes = routes
        self.interfaces = interfaces
    }

    /// Returns the kind of the network; nil for a cable and without a network.
    func kind(at now: Instant) -> NetworkKind? {
        if let next, now < next { return kind }
        next = now + NetworkReader.interval
        kind = read()
        return kind
    }

    private func read() -> NetworkKind? {
        let tables = ["route", "ipv6_route"].map {
            KernelFile.text("\(routes)/\($0)", limit: NetworkReader.maxLength) ?? ""
        }
        guard let route = DefaultRoute(ipv4: tables[0], ipv6: tables[1]) else { return nil }
        return KernelFile.text("\(interfaces)/\(route.interface)/uevent").flatMap { NetworkKind(uevent: $0) }
    }
}
