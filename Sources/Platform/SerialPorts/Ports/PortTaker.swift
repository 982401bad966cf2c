import Glibc
import SystemCalls

/// A program that keeps serial devices away from their users without holding a port that
/// ``PortHolder`` could find.
package enum PortTaker {
    /// The converters whose numbers `brltty` takes for Braille displays (brltty's
    /// `85-brltty.rules`).
    private static let brailleNumbers: Set = ["1a86:7523", "10c4:ea60", "10c4:ea80", "0403:6001"]

    /// The USB numbers of a converter that `brltty` has taken from its driver, such as "1a86:7523";
    /// nil if it has taken none.
    ///
    /// The interface of the converter then belongs to usbfs, and there is no tty.
    package static var converterOfBraille: String? {
        let root = "/sys/bus/usb/devices"
        guard PortHolder.isRunning("brltty"), let names = try? Directory.names(in: root) else { return nil }
        for name in names where name.contains(":") {
            guard SystemFile.target(of: "\(root)/\(name)/driver")?.hasSuffix("/usbfs") == true else { continue }
            let device = "\(root)/\(name.prefix { $0 != ":" })"
            guard let vendor = SystemFile.firstLine(of: "\(device)/idVendor"),
                let product = SystemFile.firstLine(of: "\(device)/idProduct"),
                brailleNumbers.contains("\(vendor):\(product)")
            else { continue }
            return "\(vendor):\(product)"
        }
        return nil
    }

    /// Whether the kernel writes its messages to a port (console= of its command line).
    package static func isKernelConsole(_ path: String) -> Bool {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let resolved = realpath(path, &buffer).map { String(cString: $0) } ?? path
        let name = resolved.split(separator: "/").last.map(String.init)
        let consoles = SystemFile.firstLine(of: "/sys/class/tty/console/active") ?? ""
        return name.map { consoles.split(separator: " ").map(String.init).contains($0) } ?? false
    }
}
