import Glibc
import Locator
import Receivers
import ServiceRuntime
import TestSupport
import Testing

@testable import sextantd

/// udev reports the removal of a device whose port is still open: the driver may keep the
/// descriptor alive.
@Suite struct VanishedPortTests {
    /// Opens a port, reports its removal, and returns the statuses of the port and whether it is
    /// still open.
    private func statuses(unlinked: Bool) throws -> (statuses: [PortStatus], isOpen: Bool) {
        let scratch = try Scratch()
        let virtual = try VirtualPort(scratch("gps"))
        let loop = try EventLoop()
        let recorder = PortRecorder()
        var statuses: [PortStatus] {
            recorder.events.compactMap { event in if case .statusChanged(let status) = event { status } else { nil } }
        }
        let port = Port(
            id: ReceiverID(0), name: "gps", device: DeviceDescription(path: virtual.link),
            named: Settings.NamedPort(device: virtual.link, baud: 9600), loop: loop, power: .auto, delegate: recorder)
        port.open(at: loop.now)
        #expect(port.isOpen && statuses == [.open])
        if unlinked { unlink(virtual.link) }
        port.deviceWasRemoved(at: loop.now)
        let isOpen = port.isOpen
        port.close(at: loop.now)
        return (statuses, isOpen)
    }

    @Test func `a removed port is closed and reported as lost`() throws {
        let (statuses, isOpen) = try statuses(unlinked: true)
        #expect(!isOpen)
        guard case .absent(let message, lost: true)? = statuses.last else {
            throw TestFailure("statuses \(statuses)")
        }
        #expect(message.contains("gps") && message.contains("unplugged"))
    }

    @Test func `a configured port is that of the device that is there when it is opened`() throws {
        let scratch = try Scratch()
        let virtual = try VirtualPort(scratch("gps"))
        let loop = try EventLoop()
        let recorder = PortRecorder()
        let port = Port(
            id: ReceiverID(0), name: "gps",
            device: DeviceDescription(
                name: "gps", path: virtual.link, usb: USBIdentity(vendor: 1, product: 2)),
            named: Settings.NamedPort(device: virtual.link, baud: 9600), loop: loop, power: .auto, delegate: recorder)
        port.open(at: loop.now)
        #expect(port.isOpen && port.device.usb == nil)
        port.close(at: loop.now)
    }

    @Test func `commands and corrections that do not fit are dropped as a whole`() {
        var writer = PortWriter()
        let corrections = [UInt8](repeating: 1, count: PortWriter.correctionCapacity)
        #expect(writer.append(corrections: corrections) && !writer.append(corrections: [1]))
        let commands = [UInt8](repeating: 2, count: PortWriter.capacity)
        #expect(writer.append(commands) && !writer.append([3]))
        writer.removeFirst(2)
        #expect(!writer.append(commands) && writer.append([3, 4]))
        #expect(writer.unsent == corrections.dropFirst(2) + commands + [3, 4])
    }

    /// The device was replugged and opened before the removal event was read.
    @Test func `a port whose path exists again stays open`() throws {
        let (statuses, isOpen) = try statuses(unlinked: false)
        #expect(isOpen && statuses == [.open])
    }
}
