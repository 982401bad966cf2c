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

extension DeviceCatalogue {
    /// Serial converters. Most receivers with a USB plug contain one, and so do many other devices.
    static let converters: [Entry] = [
        // usb.ids; gpsd ships the rule disabled because too many other devices use it.
        Entry(0x067B, 0x2303, .genericConverter, "Prolific PL2303"),
        Entry(0x067B, 0x23A3, .genericConverter, "Prolific PL2303 (G series)"),  // usb.ids, as an ATEN product
        Entry(0x0557, 0x2008, .genericConverter, "ATEN UC-232A"),  // usb.ids, gpsd

        Entry(0x10C4, 0xEA60, .genericConverter, "Silicon Labs CP210x"),  // usb.ids, gpsd
        Entry(0x10C4, 0xEA70, .genericConverter, "Silicon Labs CP2105"),  // usb.ids
        Entry(0x10C4, 0xEA71, .genericConverter, "Silicon Labs CP2108"),  // usb.ids, gpsd

        Entry(0x0403, 0x6001, .genericConverter, "FTDI FT232"),  // usb.ids; gpsd ships the rule disabled
        Entry(0x0403, 0x6010, .genericConverter, "FTDI FT2232"),  // usb.ids
        Entry(0x0403, 0x6011, .genericConverter, "FTDI FT4232"),  // usb.ids
        Entry(0x0403, 0x6014, .genericConverter, "FTDI FT232H"),  // usb.ids
        Entry(0x0403, 0x6015, .genericConverter, "FTDI FT-X"),  // usb.ids

        Entry(0x1A86, 0x5523, .genericConverter, "WCH CH341"),  // usb.ids
        Entry(0x1A86, 0x7522, .genericConverter, "WCH CH340"),  // usb.ids
        Entry(0x1A86, 0x7523, .genericConverter, "WCH CH340"),  // usb.ids
        Entry(0x1A86, 0x55D3, .genericConverter, "WCH CH343"),  // unverified; enumerates as CDC-ACM
        Entry(0x1A86, 0x55D4, .genericConverter, "WCH CH9102"),  // unverified; enumerates as CDC-ACM
    ]
}

extension DeviceCatalogue {
    /// Devices whose USB numbers identify them as GNSS receivers.
    static let receivers: [Entry] = [
        // 01a5 to 01a8: usb.ids and gpsd; 01a9: gpsd; 01a4: unverified. Users report u-blox 10 as
        // 01a9; no list has it.
        Entry(0x1546, 0x01A4, .receiver, "u-blox 4"),
        Entry(0x1546, 0x01A5, .receiver, "u-blox 5"),
        Entry(0x1546, 0x01A6, .receiver, "u-blox 6"),
        Entry(0x1546, 0x01A7, .receiver, "u-blox 7"),
        Entry(0x1546, 0x01A8, .receiver, "u-blox 8 or M8"),
        Entry(0x1546, 0x01A9, .receiver, "u-blox F9, M9 or 10"),
        // Unverified: none of the sources lists a number of a later generation. u-blox has assigned
        // numbers in ascending order so far, and its modems begin at 1010 (ModemManager). The
        // following numbers are therefore treated as receivers.
        Entry(0x1546, 0x01AA...0x01AF, .receiver, "u-blox"),

        Entry(0x0E8D, 0x3329, .receiver, "MediaTek MT33xx"),  // gpsd, which tested it with a Holux M-1200E
        Entry(0x067B, 0xAAA0, .receiver, "PS-360 OEM"),  // gpsd
        Entry(0x1163, 0x0100, .receiver, "DeLorme Earthmate"),  // gpsd, usb.ids; old models are silent until polled
        Entry(0x1163, 0x0200, .receiver, "DeLorme Earthmate LT-20 or LT-40"),  // gpsd, usb.ids

        // gpsd and usb.ids list the number, and the kernel's garmin_gps driver creates a tty for
        // it. The device sends Garmin's own packet protocol, not NMEA.
        Entry(
            0x091E, 0x0003,
            .unsupported(
                reason: "uses Garmin's own protocol; set the receiver to NMEA on its serial interface, if it has one"),
            "Garmin GPS (USB)"),
    ]
}

extension DeviceCatalogue {
    /// Cellular modems with GNSS, and which of their ports carries NMEA. The other ports are listed
    /// so that they are never opened.
    ///
    /// The NMEA port stays silent until an AT command on another port starts the modem's GNSS
    /// (Quectel `AT+QGPS=1`, SIMCom `AT+CGPS=1`). ModemManager does that.
    static let modems: [Entry] =
        // ModemManager lists interface 1 for EG06, EG91, EG95, BG96, EC25 and RM500 (0306, 0191,
        // 0195, 0296, 0125, 0800). It knows no other NMEA port of this vendor. The vendor's other
        // product numbers are assumed to be alike.
        ports(0x2C7C, 0x0000...0xFFFF, nmea: 1, "Quectel modem")
        // ModemManager: SIM7000, SIM7100, SIM7600; then SIM7070, SIM7080, SIM7090 with their two
        // port layouts.
        + ports(0x1E0E, 0x9001...0x9001, nmea: 1, "SIMCom SIM7x00")
        + ports(0x1E0E, 0x9205...0x9206, nmea: 1, "SIMCom SIM70x0")
        // ModemManager; names from usb.ids where available.
        + ports(0x1BC7, 0x1004...0x1004, nmea: 2, "Telit UC864-G")
        + ports(0x1BC7, 0x1005...0x1005, nmea: 2, "Telit CC864-DUAL")
        + ports(0x1BC7, 0x1010...0x1010, nmea: 1, "Telit DE910-DUAL")
        + ports(0x1BC7, 0x1060...0x1060, nmea: 3, "Telit modem")
        + ports(0x1BC7, 0x1061...0x1061, nmea: 4, "Telit modem")
        + ports(0x1BC7, 0x1201...0x1201, nmea: 3, "Telit LE910 or LE920")
        + ports(0x1BC7, 0x1204...0x1204, nmea: 4, "Telit modem")
        + ports(0x1199, 0x9071...0x9071, nmea: 2, "Sierra Wireless MC74xx")
        + ports(0x1199, 0x9091...0x9091, nmea: 2, "Sierra Wireless EM7565")
        + ports(0x1E2D, 0x0053...0x0053, nmea: 1, "Cinterion modem")
        + ports(0x1E2D, 0x005B...0x005B, nmea: 4, "Cinterion modem")
        + ports(0x1E2D, 0x005D...0x005D, nmea: 4, "Cinterion modem")
        + ports(0x1E2D, 0x0061...0x0061, nmea: 4, "Cinterion modem")
        + ports(0x1E2D, 0x0069...0x0069, nmea: 4, "Cinterion modem")
        + ports(0x1E2D, 0x006F...0x006F, nmea: 4, "Cinterion modem")

    private static func ports(_ vendor: UInt16, _ products: ClosedRange<UInt16>, nmea interface: UInt8, _ name: String)
        -> [Entry]
    {
        [
            Entry(vendor, products, interface: interface, .modem(.nmea), name),
            Entry(vendor, products, .modem(.other), name),
        ]
    }
}

/// The likely kind of a serial device, which determines how the daemon treats it.
package enum DeviceKind: Sendable, Hashable {
    /// A GNSS receiver with its own USB product number: opened at once.
    case receiver
    /// A serial converter that may connect any device: opened for reading only, until
    /// ``GNSSDetection`` confirms a receiver.
    case genericConverter
    /// One of the ports of a cellular modem.
    case modem(ModemPort)
    /// A GNSS device that does not send NMEA on its port; the reason is a text for users.
    case unsupported(reason: String)
    /// An unknown device: not opened unless the configuration names it.
    case unlisted

    /// The role of a modem port.
    package enum ModemPort: Sendable, Hashable {
        /// Carries NMEA after an AT command on another port has started the modem's GNSS.
        case nmea
        /// Commands, data or diagnostics: in use by other programs, never opened.
        case other
    }

    /// Whether the daemon opens the device although the configuration does not name it.
    package var opensAutomatically: Bool {
        switch self {
        case .receiver, .genericConverter, .modem(.nmea): true
        case .modem(.other), .unsupported, .unlisted: false
        }
    }

    /// Whether the port must show GNSS NMEA before anything is written to it or its fixes are used.
    package var requiresDetection: Bool { self != .receiver }
}
