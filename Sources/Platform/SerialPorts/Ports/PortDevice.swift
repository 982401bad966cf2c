import CLinux
import Glibc

/// The kernel's information about the device behind a port, from /sys/dev/char
/// (Documentation/ABI/stable/sysfs-dev).
struct PortDevice {
    private let number: dev_t
    private var directory: String { "/sys/dev/char/\(linux_device_major(number)):\(linux_device_minor(number))" }

    init(number: dev_t) {
        self.number = number
    }

    var isPseudoTerminal: Bool { linux_is_pseudo_terminal(number) }

    /// Whether the device is a receiver of the kernel's GNSS subsystem (/dev/gnss0), a byte stream
    /// without line settings.
    var isKernelReceiver: Bool { lastComponent(of: "subsystem") == "gnss" }

    /// Whether the port has a serial line whose baud rate both ends must agree on.
    ///
    /// Most CDC-ACM devices ignore the line coding, because they have no serial line. WCH bridges
    /// (vendor 1a86; CH343, CH9102) enumerate as CDC-ACM and do have one. That exception is from
    /// their data sheets, not tested on a device. A pseudo-terminal counts as a serial line: a
    /// simulated receiver may apply the baud rate.
    var hasLineSpeed: Bool {
        guard lastComponent(of: "device/driver") == "cdc_acm" else { return !isKernelReceiver }
        return SystemFile.firstLine(of: directory + "/device/../idVendor") == "1a86"
    }

    private func lastComponent(of link: String) -> Substring? {
        SystemFile.target(of: "\(directory)/\(link)")?.split(separator: "/").last
    }
}
