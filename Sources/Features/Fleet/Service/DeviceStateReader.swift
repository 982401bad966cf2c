import Chronology
import Glibc
import SystemCalls

/// Reads the members of messages that describe the device, besides its position.
final class DeviceStateReader {
    private let battery = BatteryReader()
    private let network = NetworkReader()
    private let time: () -> UTCTime?
    private let mode: DeviceState.MonitoringMode

    /// - Parameters:
    ///   - mode: When the device reports positions.
    ///   - time: Returns UTC; nil if it is not known.
    init(mode: DeviceState.MonitoringMode, time: @escaping () -> UTCTime?) {
        self.mode = mode
        self.time = time
    }

    func state(in fences: [FenceName], at now: Instant) -> DeviceState {
        DeviceState(
            time: time(), battery: battery.battery(at: now), network: network.kind(at: now), fences: fences, mode: mode)
    }
}

/// Reads the battery of the device from the kernel, at most once a minute.
final class BatteryReader {
    private static let interval = Instant.Span.seconds(60)

    private let folder: String
    private var battery: Battery?
    private var next: Instant?

    /// - Parameter folder: The directory with one directory for each battery and charger.
    init(folder: String = "/sys/class/power_supply") { self.folder = folder }

    /// Returns the battery that supplies the device; nil if it has none.
    func battery(at now: Instant) -> Battery? {
        if let next, now < next { return battery }
        next = now + BatteryReader.interval
        battery =
            ((try? Directory.names(in: folder)) ?? []).lazy.compactMap { [self] in battery(in: "\(folder)/\($0)") }
            .first
        return battery
    }

    private func battery(in supply: String) -> Battery? {
        // A mouse has a battery too, of the scope "Device".
        guard attribute("type", of: supply) == "Battery", attribute("scope", of: supply) != "Device",
            let capacity = attribute("capacity", of: supply)
        else { return nil }
        return Battery(capacity: capacity, status: attribute("status", of: supply) ?? "")
    }

    private func attribute(_ name: String, of supply: String) -> String? {
        KernelFile.line("\(supply)/\(name)")
    }
}

/// A short text file of the kernel.
enum KernelFile {
    /// Returns the first `limit` bytes of a file; nil if it cannot be read.
    static func text(_ path: String, limit: Int = 4096) -> String? {
        guard let bytes = try? AtomicFile(path: path).contents(limit: limit), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first line of a file; nil if it cannot be read.
    static func line(_ path: String) -> String? {
        text(path).map { String($0.prefix { $0 != "\n" }) }
    }
}

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
