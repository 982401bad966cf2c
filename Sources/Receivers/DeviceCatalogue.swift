/// What is known of serial devices by their numbers.
///
/// Sources of the numbers, named in the entries: *gpsd*: the udev rules gpsd ships (its 3.22 and 3.27); *usb.ids*: the USB ID repository of
/// 2025-07-26; *ModemManager*: the port types in the udev rules of ModemManager 1.20. *Unverified* is said where none of them has a number.
public enum DeviceCatalogue {
    /// What is known of one device or one port of it.
    struct Entry: Sendable {
        let vendor: UInt16
        let products: ClosedRange<UInt16>
        /// The interface the port must belong to; `nil` for any.
        let interface: UInt8?
        let kind: DeviceKind
        let name: String

        init(_ vendor: UInt16, _ product: UInt16, interface: UInt8? = nil, _ kind: DeviceKind, _ name: String) {
            self.init(vendor, product...product, interface: interface, kind, name)
        }

        init(_ vendor: UInt16, _ products: ClosedRange<UInt16>, interface: UInt8? = nil, _ kind: DeviceKind, _ name: String) {
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

    /// The first entry that fits: by subsystem, then by numbers, then by the name of the interface, then by driver.
    static func look(up usb: USBIdentity?, driver: String?, subsystem: String?) -> (kind: DeviceKind, name: String)? {
        if subsystem == "gnss" { return (.receiver, "GNSS receiver known to the kernel") }
        guard let usb else { return nil }
        if let entry = entries.first(where: { $0.matches(usb) }) { return (entry.kind, entry.name) }
        if usb.interfaceName == "Telit Wireless Module Port" { return telit(interface: usb.interface) }
        return driver.flatMap { converterDrivers.contains($0) ? (.genericConverter, "serial converter") : nil }
    }

    private static let entries = receivers + converters + modems

    /// Telit's modems of this generation have NMEA on interface 6 whatever their number is (gpsd, tested there with HE910G).
    private static func telit(interface: UInt8?) -> (kind: DeviceKind, name: String) {
        (.modem(interface == 6 ? .nmea : .other), "Telit modem")
    }

    /// Drivers of the kernel that serve only converters: whatever number they took, a wire is behind it.
    private static let converterDrivers: Set<String> = [
        "ark3116", "ch341", "ch343", "cp210x", "f81232", "ftdi_sio", "io_ti", "mct_u232", "mos7720", "mos7840", "mxuport", "oti6858",
        "pl2303",
        "spcp8x5", "ti_usb_3410_5052", "xr_serial",
    ]
}
