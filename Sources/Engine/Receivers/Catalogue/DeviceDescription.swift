/// A serial device: its names, its kind and its identity.
package struct DeviceDescription: Sendable, Hashable {
    /// The kernel's device name, such as "ttyACM0". If the kernel knows no such device, as for a
    /// pseudo-terminal, the last component of the path.
    package let name: String
    /// The path to open: the requested path, or the device node.
    package let path: String
    /// The kernel subsystem: "tty" or "gnss".
    package let subsystem: String?
    /// The kernel driver, such as "cdc_acm".
    package let driver: String?
    /// The USB identity; nil for a port that is not on USB.
    package let usb: USBIdentity?
    package let kind: DeviceKind
    /// The display name: the catalogue's name, or else the device's own product name.
    package let model: String?
    /// An identifier that is stable over unplugging and restarts and unique among devices: from USB
    /// numbers, or else the path.
    package let identity: String

    /// Creates a description from the known properties of a device.
    ///
    /// - Parameter isTaggedNMEA: Whether the system's udev rules tag the port as one that carries
    ///   NMEA (ID_MM_PORT_TYPE_GPS of ModemManager).
    package init(
        name: String, path: String, node: String? = nil, subsystem: String? = nil, driver: String? = nil,
        usb: USBIdentity? = nil,
        isTaggedNMEA: Bool = false
    ) {
        self.name = name
        self.path = path
        self.subsystem = subsystem
        self.driver = driver
        self.usb = usb
        let entry = DeviceCatalogue.classify(usb: usb, driver: driver, subsystem: subsystem)
        kind = isTaggedNMEA ? .modem(.nmea) : entry?.kind ?? .unlisted
        model = entry?.name ?? usb?.productName
        identity = Self.printable(usb?.text ?? node ?? path)
    }

    /// Creates a description of a port of which only the path is known, such as a pseudo-terminal.
    package init(path: String) {
        self.init(name: path.split(separator: "/").last.map(String.init) ?? path, path: path)
    }

    /// Whether the port is the receiver's own USB port. A receiver behind a converter, or of the
    /// kernel's GNSS subsystem without USB, sends on a UART.
    package var isNativeUSB: Bool { kind == .receiver && usb != nil }

    /// Whether the device is an accessory: it is on USB, and no modem. A modem is part of most
    /// devices that have one.
    package var isAccessory: Bool {
        if case .modem = kind { return false }
        return usb != nil
    }

    /// Whether the device is a virtual console (tty, tty1, console), an old-style pseudo-terminal
    /// (ttyp0, ptyp0) or similar. The port of a receiver has two or more letters between "tty" and
    /// its number, or another name.
    package var isConsole: Bool {
        guard subsystem == "tty" else { return false }
        if name.hasPrefix("rfcomm") { return false }
        guard name.hasPrefix("tty") else { return true }
        let rest = name.dropFirst(3)
        return rest.isEmpty || rest.utf8.allSatisfy { (48...57).contains($0) } || rest == "printk"
            || (rest.utf8.count == 2 && rest.utf8.first.map { (97...122).contains($0) } == true)
    }

    /// Returns `text` without control characters, cut to 120 characters. The device supplies its
    /// serial number, which must not break log lines or files.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(120).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// The addition or removal of a device.
package enum DeviceEvent: Sendable, Hashable {
    /// The device was plugged in and is ready to be opened.
    case appeared(DeviceDescription)
    /// The device was unplugged.
    case removed(path: String)
}

/// Tracks the present devices by path and reports each device once until it is removed.
///
/// Where no udev daemon runs, the caller enumerates the devices itself and passes them to
/// ``update(with:)``.
package struct DeviceTracker: Sendable {
    private var known: Set<String> = []

    /// Creates a tracker without devices.
    package init() {}

    /// Replaces the set of known devices by the devices that are present now.
    ///
    /// - Returns: The changes: first the removed devices in path order, then the added devices in
    ///   the given order.
    package mutating func update(with present: [DeviceDescription]) -> [DeviceEvent] {
        let removed = known.subtracting(present.map(\.path)).sorted()
        return removed.compactMap { remove($0) } + present.compactMap { add($0) }
    }

    /// - Returns: ``DeviceEvent/appeared(_:)``, or nil for a known device.
    package mutating func add(_ device: DeviceDescription) -> DeviceEvent? {
        known.insert(device.path).inserted ? .appeared(device) : nil
    }

    /// - Returns: ``DeviceEvent/removed(path:)``, or nil for an unknown device.
    package mutating func remove(_ path: String) -> DeviceEvent? {
        known.remove(path) != nil ? .removed(path: path) : nil
    }
}
