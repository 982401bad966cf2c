import CUdev
import Receivers

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
            manufacturer: attribute("manufacturer", of: parent), productName: attribute("product", of: parent),
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
