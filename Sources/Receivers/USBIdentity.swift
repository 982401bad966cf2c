/// How a USB device presents itself.
public struct USBIdentity: Sendable, Hashable {
    /// Vendor number (idVendor).
    public var vendor: UInt16
    /// Product number (idProduct).
    public var product: UInt16
    /// Serial number as the device tells it; many have none, and many of one make have the same.
    public var serial: String?
    /// Maker in the device's words.
    public var manufacturer: String?
    /// Product in the device's words.
    public var productName: String?
    /// Number of the interface the port belongs to (bInterfaceNumber).
    public var interface: UInt8?
    /// Name of that interface in the device's words.
    public var interfaceName: String?
    /// Where it is plugged in, as the kernel names it: "1-1.4".
    public var socket: String?

    /// The identity of a device with these numbers.
    public init(
        vendor: UInt16, product: UInt16, serial: String? = nil, manufacturer: String? = nil, productName: String? = nil,
        interface: UInt8? = nil, interfaceName: String? = nil, socket: String? = nil
    ) {
        self.vendor = vendor
        self.product = product
        self.serial = serial
        self.manufacturer = manufacturer
        self.productName = productName
        self.interface = interface
        self.interfaceName = interfaceName
        self.socket = socket
    }

    /// "1546:01a8".
    public var numbers: String { Self.hexadecimal(vendor) + ":" + Self.hexadecimal(product) }

    /// A text that stays the same when the device is plugged in again, and differs from that of every other device present.
    ///
    /// By serial number where there is a telling one, so that the device may move to another socket; else by socket.
    var text: String {
        let device = "usb:" + numbers
        let port = interface.flatMap { $0 > 0 ? "#\($0)" : nil } ?? ""
        if let serial = tellingSerial { return device + ":" + serial + port }
        return device + (socket.map { "@" + $0 } ?? "") + port
    }

    /// "0001" is what every CP210x bears that nobody gave a number of its own, and others bear zeros.
    private var tellingSerial: String? {
        guard let serial, serial != "0001", serial.contains(where: { $0 != "0" }) else { return nil }
        return serial
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
