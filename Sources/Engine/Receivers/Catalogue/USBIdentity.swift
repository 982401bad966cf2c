/// The identity of a USB device.
package struct USBIdentity: Sendable, Hashable {
    /// The vendor number (idVendor).
    package var vendor: UInt16
    /// The product number (idProduct).
    package var product: UInt16
    /// The serial number that the device reports; many have none, and many of one make have the
    /// same.
    package var serial: String?
    /// The product name that the device reports.
    package var productName: String?
    /// The number of the interface that the port belongs to (bInterfaceNumber).
    package var interface: UInt8?
    /// The name of that interface that the device reports.
    package var interfaceName: String?
    /// The USB port of the device in the kernel's notation: "1-1.4".
    package var portPath: String?

    /// Creates the identity of a device with these numbers.
    package init(
        vendor: UInt16, product: UInt16, serial: String? = nil, productName: String? = nil, interface: UInt8? = nil,
        interfaceName: String? = nil, socket: String? = nil
    ) {
        self.vendor = vendor
        self.product = product
        self.serial = serial
        self.productName = productName
        self.interface = interface
        self.interfaceName = interfaceName
        self.portPath = socket
    }

    /// The vendor and product number, such as "1546:01a8".
    package var numbers: String { Self.hexadecimal(vendor) + ":" + Self.hexadecimal(product) }

    /// An identifier that is stable over replugging and unique among the present devices.
    ///
    /// It uses the serial number if that is unique, so that the device may move to another USB
    /// port; otherwise the USB port.
    var text: String {
        let device = "usb:" + numbers
        let port = interface.flatMap { $0 > 0 ? "#\($0)" : nil } ?? ""
        if let serial = uniqueSerial { return device + ":" + serial + port }
        return device + (portPath.map { "@" + $0 } ?? "") + port
    }

    /// The serial number if it identifies the device. "0001" is the default of every CP210x without
    /// a number of its own; other devices report zeros.
    private var uniqueSerial: String? {
        guard let serial, serial != "0001", serial.contains(where: { $0 != "0" }) else { return nil }
        return serial
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
