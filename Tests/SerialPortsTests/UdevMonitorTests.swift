import CLinux
import Glibc
import Receivers
import Testing

@testable import SerialPorts

@Suite struct UdevTests {
    @Test(.enabled(if: UnderTestbed.isPossible && !UnderTestbed.isHere, "umockdev is not installed"))
    func `the testbed tests pass in their own process`() {
        #expect(UnderTestbed.run(suite: "TestbedTests") == 0)
    }

    @Test func `the devices of this machine can be enumerated`() {
        for device in DeviceEnumerator.present() {
            #expect(device.path.hasPrefix("/dev/"))
            #expect(!device.isConsole)
        }
    }

    @Test(.disabled(if: access("/run/udev/control", F_OK) == 0, "udev runs here"))
    func `without udev the monitor throws`() {
        #expect(throws: UdevMonitor.Unavailable.noDaemon) { _ = try UdevMonitor() }
    }

    @Test func `a pseudo-terminal is described by its path`() {
        var ends: [Int32] = [-1, -1]
        var name = [CChar](repeating: 0, count: 128)
        ends.withUnsafeMutableBufferPointer { #expect(openpty(&$0[0], &$0[1], &name, nil, nil) == 0) }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let device = DeviceEnumerator.describe(path)
        #expect(device == DeviceDescription(path: path))
        ends.forEach { _ = close($0) }
    }

    @Test(arguments: ["/dev/ttyNONE9", "/tmp", ""]) func `a missing device is described by its path`(path: String) {
        #expect(DeviceEnumerator.describe(path) == DeviceDescription(path: path))
    }
}

private let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb1"

/// A u-blox 8 and its port, as recorded by `umockdev-record`.
private let ublox = """
    P: /devices/pci0000:00/0000:00:14.0/usb1/1-4
    E: DEVTYPE=usb_device
    E: SUBSYSTEM=usb
    A: idVendor=1546
    A: idProduct=01a8
    A: product=u-blox GNSS receiver
    A: manufacturer=u-blox AG - www.u-blox.com
    L: driver=../../../../../bus/usb/drivers/usb

    P: /devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0
    E: DEVTYPE=usb_interface
    E: SUBSYSTEM=usb
    A: bInterfaceNumber=00
    L: driver=../../../../../../bus/usb/drivers/cdc_acm

    P: /devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/tty/ttyACM0
    N: ttyACM0
    E: DEVNAME=/dev/ttyACM0
    E: MAJOR=166
    E: MINOR=0
    E: SUBSYSTEM=tty
    A: dev=166:0

    """

/// The second port of a SIM7600, and a virtual console.
private let modem = """
    P: /devices/pci0000:00/0000:00:14.0/usb1/1-5
    E: DEVTYPE=usb_device
    E: SUBSYSTEM=usb
    A: idVendor=1e0e
    A: idProduct=9001
    A: serial=0123456789ABCDEF
    L: driver=../../../../../bus/usb/drivers/usb

    P: /devices/pci0000:00/0000:00:14.0/usb1/1-5/1-5:1.1
    E: DEVTYPE=usb_interface
    E: SUBSYSTEM=usb
    A: bInterfaceNumber=01
    L: driver=../../../../../../bus/usb/drivers/option

    P: /devices/pci0000:00/0000:00:14.0/usb1/1-5/1-5:1.1/ttyUSB1
    E: SUBSYSTEM=usb-serial
    L: driver=../../../../../../../bus/usb-serial/drivers/option1

    P: /devices/pci0000:00/0000:00:14.0/usb1/1-5/1-5:1.1/ttyUSB1/tty/ttyUSB1
    N: ttyUSB1
    E: DEVNAME=/dev/ttyUSB1
    E: MAJOR=188
    E: MINOR=1
    E: SUBSYSTEM=tty
    A: dev=188:1

    P: /devices/virtual/tty/tty7
    N: tty7
    E: DEVNAME=/dev/tty7
    E: SUBSYSTEM=tty

    """

@Suite(.enabled(if: UnderTestbed.isHere), .serialized) struct TestbedTests {
    private let bed: Testbed

    init() throws { bed = try #require(Testbed()) }

    @Test func `present devices are described`() throws {
        #expect(bed.add(ublox) && bed.add(modem))
        let devices = DeviceEnumerator.present().sorted { $0.path < $1.path }
        #expect(devices.map(\.path) == ["/dev/ttyACM0", "/dev/ttyUSB1"])
        let receiver = try #require(devices.first)
        #expect(receiver.name == "ttyACM0")
        #expect(receiver.driver == "cdc_acm")
        #expect(receiver.kind == .receiver)
        #expect(receiver.model == "u-blox 8 or M8")
        #expect(receiver.usb?.productName == "u-blox GNSS receiver")
        #expect(receiver.identity == "usb:1546:01a8@1-4")
        let port = try #require(devices.last)
        #expect(port.kind == .modem(.nmea))
        #expect(port.driver == "option1")
        #expect(port.identity == "usb:1e0e:9001:0123456789ABCDEF#1")
    }

    @Test func `an added and a removed device are each reported once`() throws {
        let monitor = try UdevMonitor(initializedOnly: false)
        #expect(monitor.rescan().isEmpty)
        #expect(monitor.receive().isEmpty)

        #expect(bed.add(ublox))
        let port = usb + "/1-4/1-4:1.0/tty/ttyACM0"
        bed.event(port, "add")
        bed.event(port, "change")
        let events = wait(for: monitor)
        guard case .appeared(let device)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.count == 1)
        #expect(device.path == "/dev/ttyACM0")
        #expect(device.kind == .receiver)

        bed.event(port, "remove")
        bed.event(port, "remove")
        #expect(wait(for: monitor) == [.removed(path: "/dev/ttyACM0")])
    }

    @Test func `a device present at the start is reported once`() throws {
        #expect(bed.add(ublox))
        let monitor = try UdevMonitor(initializedOnly: false)
        #expect(monitor.rescan().count == 1)
        bed.event(usb + "/1-4/1-4:1.0/tty/ttyACM0", "add")
        var request = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, 5000) == 1)
        #expect(monitor.receive().isEmpty)
    }

    /// Waits at most five seconds for events.
    private func wait(for monitor: UdevMonitor) -> [DeviceEvent] {
        var request = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 5000) == 1 else { return [] }
        return monitor.receive()
    }
}
