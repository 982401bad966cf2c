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
