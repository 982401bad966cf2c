/// A serial device: what it is called, what it is, and what tells it from others.
public struct DeviceDescription: Sendable, Hashable {
    /// The kernel's name: "ttyACM0"; the last part of the path where there is no such device, as for a pseudo-terminal.
    public let name: String
    /// The path to open: as it was asked for, or the device node.
    public let path: String
    /// The kernel's subsystem: "tty" or "gnss".
    public let subsystem: String?
    /// The kernel's driver: "cdc_acm".
    public let driver: String?
    /// How it presents itself on USB; `nil` for a port that is not on USB.
    public let usb: USBIdentity?
    /// What it is likely to be.
    public let kind: DeviceKind
    /// What it is called, for people: the catalogue's name, or else the device's own.
    public let model: String?
    /// Stays the same over unplugging and restarts and differs from every other device's: by USB numbers, or else by path.
    public let identity: String

    /// Describes a device from what is known of it.
    ///
    /// - Parameter isTaggedNMEA: whether the system's rules mark the port as one that carries NMEA (ID_MM_PORT_TYPE_GPS of ModemManager).
    init(
        name: String, path: String, node: String? = nil, subsystem: String? = nil, driver: String? = nil, usb: USBIdentity? = nil,
        isTaggedNMEA: Bool = false
    ) {
        self.name = name
        self.path = path
        self.subsystem = subsystem
        self.driver = driver
        self.usb = usb
        let entry = DeviceCatalogue.look(up: usb, driver: driver, subsystem: subsystem)
        kind = isTaggedNMEA ? .modem(.nmea) : entry?.kind ?? .unlisted
        model = entry?.name ?? usb?.productName
        identity = Self.printable(usb?.text ?? node ?? path)
    }

    /// A port nothing is known of but its path, such as a pseudo-terminal.
    public init(path: String) {
        self.init(name: path.split(separator: "/").last.map(String.init) ?? path, path: path)
    }

    /// The device wrote its own serial number: nothing in it shall break a line, or fill one.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(120).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
