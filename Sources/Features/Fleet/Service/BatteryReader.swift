import Chronology
import SystemCalls

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
