import CLinux
import Glibc

/// What the kernel says of the device behind a port, from /sys/dev/char (Documentation/ABI/stable/sysfs-dev).
struct PortDevice {
    private let number: dev_t
    private var directory: String { "/sys/dev/char/\(linux_device_major(number)):\(linux_device_minor(number))" }

    init(number: dev_t) {
        self.number = number
    }

    var isPseudoTerminal: Bool { linux_is_pseudo_terminal(number) }

    /// Whether it is a receiver of the kernel's GNSS subsystem (/dev/gnss0), a byte stream without line settings.
    var isKernelReceiver: Bool { lastComponent(of: "subsystem") == "gnss" }

    /// Whether bytes go over a wire whose speed both ends must agree on.
    ///
    /// A CDC-ACM device is asked for a line coding and most ignore it: there is no wire. WCH's bridges (vendor 1a86; CH343, CH9102) present
    /// themselves as CDC-ACM and do have one. That exception is from their data sheets, not tried on a device here.
    /// A pseudo-terminal counts as a wire: a simulated receiver may honour the speed.
    var hasLineSpeed: Bool {
        guard lastComponent(of: "device/driver") == "cdc_acm" else { return !isKernelReceiver }
        return SystemFile.firstLine(of: directory + "/device/../idVendor") == "1a86"
    }

    private func lastComponent(of link: String) -> Substring? {
        SystemFile.target(of: "\(directory)/\(link)")?.split(separator: "/").last
    }
}
