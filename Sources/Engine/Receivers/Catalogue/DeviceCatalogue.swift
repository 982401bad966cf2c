/// The catalogue of known serial devices by USB vendor and product number.
///
/// The entries name the sources of the numbers. *gpsd*: the udev rules of gpsd 3.22 and 3.27.
/// *usb.ids*: the USB ID repository of 2025-07-26. *ModemManager*: the port types in the udev rules
/// of ModemManager 1.20. *Unverified*: none of these sources has the number.
package enum DeviceCatalogue {
    /// The catalogue entry of one device or one of its ports.
    struct Entry: Sendable {
        let vendor: UInt16
        let products: ClosedRange<UInt16>
        /// The USB interface number that the port must belong to; nil for any.
        let interface: UInt8?
        let kind: DeviceKind
        let name: String

        init(_ vendor: UInt16, _ product: UInt16, interface: UInt8? = nil, _ kind: DeviceKind, _ name: String) {
            self.init(vendor, product...product, interface: interface, kind, name)
        }

        init(
            _ vendor: UInt16, _ products: ClosedRange<UInt16>, interface: UInt8? = nil, _ kind: DeviceKind,
            _ name: String
        ) {
            self.vendor = vendor
            self.products = products
            self.interface = interface
            self.kind = kind
            self.name = name
        }

        func matches(_ usb: USBIdentity) -> Bool {
            vendor == usb.vendor && products.contains(usb.product) && (interface == nil || interface == usb.interface)
        }
    }

    /// Returns the first match: by subsystem, then by USB numbers, then by interface name, then by
    /// driver.
    static func classify(usb: USBIdentity?, driver: String?, subsystem: String?) -> (kind: DeviceKind, name: String)? {
        if subsystem == "gnss" { return (.receiver, "kernel GNSS receiver") }
        guard let usb else { return nil }
        if let entry = entries.first(where: { $0.matches(usb) }) { return (entry.kind, entry.name) }
        if usb.interfaceName == "Telit Wireless Module Port" { return telit(interface: usb.interface) }
        return driver.flatMap { converterDrivers.contains($0) ? (.genericConverter, "serial converter") : nil }
    }

    private static let entries = receivers + converters + modems

    /// Telit modems of this generation carry NMEA on interface 6, regardless of the product number
    /// (gpsd, which tested it with an HE910G).
    private static func telit(interface: UInt8?) -> (kind: DeviceKind, name: String) {
        (.modem(interface == 6 ? .nmea : .other), "Telit modem")
    }

    /// Kernel drivers that serve only converters: any device they bind has a serial line.
    private static let converterDrivers: Set<String> = [
        "ark3116", "ch341", "ch343", "cp210x", "f81232", "ftdi_sio", "io_ti", "mct_u232", "mos7720", "mos7840",
        "mxuport", "oti6858",
        "pl2303",
        "spcp8x5", "ti_usb_3410_5052", "xr_serial",
    ]
}
