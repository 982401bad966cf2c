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

/// A libudev device; released on deinitialization.
final class UdevDevice {
    private let device: OpaquePointer

    /// Takes ownership of a reference, if there is one.
    init?(owning device: OpaquePointer?) {
        guard let device else { return nil }
        self.device = device
    }

    deinit { udev_device_unref(device) }

    var name: String? { text(udev_device_get_sysname(device)) }
    var node: String? { text(udev_device_get_devnode(device)) }
    var subsystem: String? { text(udev_device_get_subsystem(device)) }
    var action: String? { text(udev_device_get_action(device)) }

    /// The driver of the device or of its nearest parent with one: a tty has none itself, but its
    /// converter has.
    var driver: String? {
        var next: OpaquePointer? = device
        while let current = next {
            if let driver = text(udev_device_get_driver(current)) { return driver }
            next = udev_device_get_parent(current)
        }
        return nil
    }

    var usb: USBIdentity? {
        guard let parent = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device"),
            let vendor = attribute("idVendor", of: parent).flatMap({ UInt16($0, radix: 16) }),
            let product = attribute("idProduct", of: parent).flatMap({ UInt16($0, radix: 16) })
        else { return nil }
        let interface = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_interface")
        return USBIdentity(
            vendor: vendor, product: product, serial: attribute("serial", of: parent),
            productName: attribute("product", of: parent),
            interface: attribute("bInterfaceNumber", of: interface).flatMap { UInt8($0, radix: 16) },
            interfaceName: attribute("interface", of: interface), socket: text(udev_device_get_sysname(parent)))
    }

    func property(_ key: String) -> String? { text(udev_device_get_property_value(device, key)) }

    private func attribute(_ name: String, of device: OpaquePointer?) -> String? {
        guard let device else { return nil }
        return text(udev_device_get_sysattr_value(device, name))
    }

    private func text(_ string: UnsafePointer<CChar>?) -> String? { string.map { String(cString: $0) } }
}

extension DeviceDescription {
    /// Creates a description of a libudev device; nil if it has no device node to open.
    init?(_ device: UdevDevice, path: String? = nil) {
        guard let name = device.name, let node = device.node else { return nil }
        self.init(
            name: name, path: path ?? node, node: node, subsystem: device.subsystem, driver: device.driver,
            usb: device.usb,
            isTaggedNMEA: device.property("ID_MM_PORT_TYPE_GPS") == "1")
    }
}
