import Testing

@testable import Receivers

private func describe(
    _ vendor: UInt16, _ product: UInt16, driver: String? = nil, interface: UInt8? = nil, interfaceName: String? = nil
) -> DeviceDescription {
    DeviceDescription(
        name: "ttyUSB0", path: "/dev/ttyUSB0", node: "/dev/ttyUSB0", subsystem: "tty", driver: driver,
        usb: USBIdentity(
            vendor: vendor, product: product, interface: interface, interfaceName: interfaceName, socket: "1-1"))
}

@Suite struct DeviceCatalogueTests {
    @Test(
        arguments: [
            (0x1546, 0x01A4), (0x1546, 0x01A5), (0x1546, 0x01A6), (0x1546, 0x01A7), (0x1546, 0x01A8), (0x1546, 0x01A9),
            (0x1546, 0x01AB),
            (0x0E8D, 0x3329), (0x067B, 0xAAA0), (0x1163, 0x0100), (0x1163, 0x0200),
        ] as [(UInt16, UInt16)])
    func `listed USB IDs are receivers`(vendor: UInt16, product: UInt16) {
        #expect(describe(vendor, product).kind == .receiver)
    }

    @Test(
        arguments: [
            (0x1A86, 0x7523), (0x067B, 0x2303), (0x10C4, 0xEA60), (0x10C4, 0xEA71), (0x0403, 0x6001), (0x0403, 0x6015),
            (0x0557, 0x2008),
        ] as [(UInt16, UInt16)])
    func `listed USB IDs are generic converters`(vendor: UInt16, product: UInt16) {
        #expect(describe(vendor, product).kind == .genericConverter)
    }

    @Test(
        arguments: [
            (0x2C7C, 0x0125, 1, .nmea), (0x2C7C, 0x0125, 2, .other), (0x2C7C, 0x0125, 0, .other),
            (0x2C7C, 0x0296, 1, .nmea),
            (0x1E0E, 0x9001, 1, .nmea), (0x1E0E, 0x9001, 2, .other), (0x1E0E, 0x9205, 1, .nmea),
            (0x1BC7, 0x1201, 3, .nmea),
            (0x1BC7, 0x1201, 2, .other), (0x1199, 0x9071, 2, .nmea),
        ] as [(UInt16, UInt16, UInt8, DeviceKind.ModemPort)])
    func `modem interfaces are classified by number`(
        vendor: UInt16, product: UInt16, interface: UInt8, port: DeviceKind.ModemPort
    ) {
        #expect(describe(vendor, product, driver: "option", interface: interface).kind == .modem(port))
    }

    @Test func `a device on USB is an accessory unless it is a modem`() {
        #expect(describe(0x1546, 0x01A8).isAccessory && describe(0x0403, 0x6001).isAccessory)
        #expect(!describe(0x2C7C, 0x0125, interface: 1).isAccessory)
        #expect(!DeviceDescription(path: "/dev/ttyAMA0").isAccessory)
    }

    @Test func `a Telit modem is recognised by its interface name`() {
        let name = "Telit Wireless Module Port"
        #expect(describe(0x1BC7, 0x0021, driver: "cdc_acm", interface: 6, interfaceName: name).kind == .modem(.nmea))
        #expect(describe(0x1BC7, 0x0021, driver: "cdc_acm", interface: 0, interfaceName: name).kind == .modem(.other))
    }

    @Test func `the Garmin USB protocol is unsupported`() {
        let garmin = describe(0x091E, 0x0003, driver: "garmin_gps")
        guard case .unsupported = garmin.kind else {
            Issue.record("\(garmin.kind)")
            return
        }
        #expect(!garmin.kind.opensAutomatically)
    }

    @Test(
        arguments: [
            (0x9999, 0x0001, "pl2303", .genericConverter), (0x9999, 0x0001, "ftdi_sio", .genericConverter),
            (0x2341, 0x0043, "cdc_acm", .unlisted),
            (0x1546, 0x1010, "cdc_acm", .unlisted), (0x0E8D, 0x2000, "cdc_acm", .unlisted),
        ] as [(UInt16, UInt16, String, DeviceKind)])
    func `unlisted USB IDs are classified by driver`(vendor: UInt16, product: UInt16, driver: String, kind: DeviceKind)
    {
        #expect(describe(vendor, product, driver: driver).kind == kind)
    }

    @Test func `a device of the kernel GNSS subsystem is a receiver`() {
        let device = DeviceDescription(name: "gnss0", path: "/dev/gnss0", node: "/dev/gnss0", subsystem: "gnss")
        #expect(device.kind == .receiver)
        #expect(device.identity == "/dev/gnss0")
    }

    @Test func `an on-board serial port is not opened automatically`() {
        let device = DeviceDescription(
            name: "ttyS0", path: "/dev/ttyS0", node: "/dev/ttyS0", subsystem: "tty", driver: "serial8250")
        #expect(device.kind == .unlisted)
        #expect(!device.kind.opensAutomatically)
    }

    @Test(
        arguments: [
            (.receiver, true, false), (.genericConverter, true, true), (.modem(.nmea), true, true),
            (.modem(.other), false, true),
            (.unsupported(reason: ""), false, true), (.unlisted, false, true),
        ] as [(DeviceKind, Bool, Bool)])
    func `only receivers need no NMEA detection`(kind: DeviceKind, opened: Bool, needsProof: Bool) {
        #expect(kind.opensAutomatically == opened)
        #expect(kind.requiresDetection == needsProof)
    }

    @Test func `a port tagged by udev rules is the NMEA port of a modem`() {
        let device = DeviceDescription(
            name: "ttyUSB1", path: "/dev/ttyUSB1", subsystem: "tty", usb: USBIdentity(vendor: 0x12D1, product: 0x1573),
            isTaggedNMEA: true)
        #expect(device.kind == .modem(.nmea))
    }
}

@Suite struct IdentityTests {
    @Test(arguments: [
        (USBIdentity(vendor: 0x1546, product: 0x01A8, socket: "1-1.4"), "usb:1546:01a8@1-1.4"),
        (USBIdentity(vendor: 0x0403, product: 0x6001, serial: "A50285BI", socket: "1-2"), "usb:0403:6001:A50285BI"),
        (USBIdentity(vendor: 0x10C4, product: 0xEA60, serial: "0001", socket: "1-2"), "usb:10c4:ea60@1-2"),
        (USBIdentity(vendor: 0x10C4, product: 0xEA60, serial: "", socket: "1-2"), "usb:10c4:ea60@1-2"),
        (
            USBIdentity(vendor: 0x10C4, product: 0xEA70, serial: "0000000", interface: 1, socket: "1-2"),
            "usb:10c4:ea70@1-2#1"
        ),
        (USBIdentity(vendor: 0x1E0E, product: 0x9001, serial: "0123456789", interface: 0), "usb:1e0e:9001:0123456789"),
        (USBIdentity(vendor: 0x0001, product: 0x0002), "usb:0001:0002"),
    ])
    func `each device has one identity text`(usb: USBIdentity, identity: String) {
        #expect(DeviceDescription(name: "x", path: "/dev/x", usb: usb).identity == identity)
    }

    @Test func `a serial number is sanitized and truncated in the identity`() {
        let usb = USBIdentity(vendor: 1, product: 2, serial: "a\n\u{1B}[2J" + String(repeating: "z", count: 500))
        let identity = DeviceDescription(name: "x", path: "/dev/x", usb: usb).identity
        #expect(identity.hasPrefix("usb:0001:0002:a??[2Jzz"))
        #expect(identity.unicodeScalars.count == 120)
    }

    @Test(arguments: [("/dev/pts/3", "3"), ("/tmp/gps", "gps"), ("gps", "gps"), ("/", "/"), ("", "")])
    func `without device data the path is the identity`(path: String, name: String) {
        let device = DeviceDescription(path: path)
        #expect(device.name == name)
        #expect(device.identity == path)
        #expect(device.kind == .unlisted)
    }
}

@Suite struct DeviceTrackerTests {
    private let first = DeviceDescription(path: "/dev/a")
    private let second = DeviceDescription(path: "/dev/b")

    @Test func `each device change is reported once`() {
        var tracker = DeviceTracker()
        #expect(tracker.update(with: [first, second]) == [.appeared(first), .appeared(second)])
        #expect(tracker.update(with: [first, second]).isEmpty)
        #expect(tracker.update(with: [second]) == [.removed(path: "/dev/a")])
        #expect(tracker.update(with: [first]) == [.removed(path: "/dev/b"), .appeared(first)])
    }

    @Test(arguments: [
        ("tty", true), ("tty7", true), ("console", true), ("ptmx", true), ("ttyprintk", true), ("ttyp0", true),
        ("ptyp0", true),
        ("ttyS0", false), ("ttyUSB0", false), ("ttyACM12", false), ("ttyAMA0", false), ("ttymxc1", false),
        ("rfcomm0", false),
    ])
    func `virtual consoles are recognised`(name: String, isConsole: Bool) {
        let device = DeviceDescription(name: name, path: "/dev/" + name, subsystem: "tty")
        #expect(device.isConsole == isConsole)
    }
}
