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
