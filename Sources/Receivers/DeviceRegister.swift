import CLinux
import CUdev
import Glibc

/// The devices present, read from sysfs; needs no udev daemon.
public enum DeviceRegister {
    /// Every serial port and kernel GNSS receiver, except the terminals people sit at.
    public static func present() -> [DeviceDescription] {
        present(initializedOnly: false)
    }

    /// Describes whatever is at `path`: a device, a symbolic link to one, or something no subsystem knows, such as a pseudo-terminal.
    ///
    /// Never fails: of a path where nothing is, the path is all there is to say.
    public static func describe(_ path: String) -> DeviceDescription {
        device(at: path).flatMap { DeviceDescription($0, path: path) } ?? DeviceDescription(path: path)
    }

    /// Whether two paths are the same device, a symbolic link to it included.
    public static func leadsTo(_ device: String, _ path: String) -> Bool {
        var one = stat()
        var other = stat()
        guard stat(device, &one) == 0, stat(path, &other) == 0, linux_is_character_device(one.st_mode) else { return false }
        return linux_is_character_device(other.st_mode) && one.st_rdev == other.st_rdev
    }

    /// - Parameter initializedOnly: leave out devices whose rules udev has not finished, and whose permissions may be about to change.
    static func present(initializedOnly: Bool) -> [DeviceDescription] {
        guard let udev = udev_new() else { return [] }
        defer { udev_unref(udev) }
        guard let enumeration = udev_enumerate_new(udev) else { return [] }
        defer { udev_enumerate_unref(enumeration) }
        for subsystem in subsystems { udev_enumerate_add_match_subsystem(enumeration, subsystem) }
        if initializedOnly { udev_enumerate_add_match_is_initialized(enumeration) }
        guard udev_enumerate_scan_devices(enumeration) >= 0 else { return [] }

        var found: [DeviceDescription] = []
        var entry = udev_enumerate_get_list_entry(enumeration)
        while let current = entry {
            entry = udev_list_entry_get_next(current)
            guard let device = UdevDevice(owning: udev_device_new_from_syspath(udev, udev_list_entry_get_name(current))) else { continue }
            if let description = DeviceDescription(device), !isConsole(description) { found.append(description) }
        }
        return found
    }

    static let subsystems = ["tty", "gnss"]

    /// Virtual consoles (tty, tty1, console), pseudo-terminals of the old kind (ttyp0, ptyp0) and their kin: a port of a receiver has two
    /// or more letters between "tty" and its number, or another name altogether.
    static func isConsole(_ device: DeviceDescription) -> Bool {
        guard device.subsystem == "tty" else { return false }
        if device.name.hasPrefix("rfcomm") { return false }
        guard device.name.hasPrefix("tty") else { return true }
        let rest = device.name.dropFirst(3)
        return rest.isEmpty || rest.utf8.allSatisfy { (48...57).contains($0) } || rest == "printk"
            || (rest.utf8.count == 2 && rest.utf8.first.map { (97...122).contains($0) } == true)
    }

    private static func device(at path: String) -> UdevDevice? {
        var status = stat()
        guard stat(path, &status) == 0, linux_is_character_device(status.st_mode), let udev = udev_new() else { return nil }
        defer { udev_unref(udev) }
        return UdevDevice(owning: udev_device_new_from_devnum(udev, CChar(bitPattern: UInt8(ascii: "c")), status.st_rdev))
    }
}
