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
