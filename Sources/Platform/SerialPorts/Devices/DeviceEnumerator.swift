import CLinux
import CUdev
import Glibc
import Receivers

/// Enumerates the present devices from sysfs; needs no udev daemon.
package enum DeviceEnumerator {
    /// Returns every serial port and kernel GNSS receiver, except consoles and login terminals.
    package static func present() -> [DeviceDescription] {
        present(initializedOnly: false)
    }

    /// Describes the object at `path`: a device, a symbolic link to one, or an object outside all
    /// subsystems, such as a pseudo-terminal.
    ///
    /// Never fails: if nothing exists at the path, the description contains only the path.
    package static func describe(_ path: String) -> DeviceDescription {
        device(at: path).flatMap { DeviceDescription($0, path: path) } ?? DeviceDescription(path: path)
    }

    /// Returns whether two paths lead to the same device, also through a symbolic link.
    package static func isSameDevice(_ device: String, as path: String) -> Bool {
        var one = stat()
        var other = stat()
        guard stat(device, &one) == 0, stat(path, &other) == 0, linux_is_character_device(one.st_mode) else {
            return false
        }
        return linux_is_character_device(other.st_mode) && one.st_rdev == other.st_rdev
    }

    /// - Parameter initializedOnly: Whether to omit devices whose udev rules have not finished, and
    ///   whose permissions may still change.
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
            guard let device = UdevDevice(owning: udev_device_new_from_syspath(udev, udev_list_entry_get_name(current)))
            else { continue }
            if let description = DeviceDescription(device), !description.isConsole { found.append(description) }
        }
        return found
    }

    static let subsystems = ["tty", "gnss"]

    private static func device(at path: String) -> UdevDevice? {
        var status = stat()
        guard stat(path, &status) == 0, linux_is_character_device(status.st_mode), let udev = udev_new() else {
            return nil
        }
        defer { udev_unref(udev) }
        return UdevDevice(
            owning: udev_device_new_from_devnum(udev, CChar(bitPattern: UInt8(ascii: "c")), status.st_rdev))
    }
}
