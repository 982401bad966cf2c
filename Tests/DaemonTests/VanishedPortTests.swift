import Glibc
import Locator
import Positioning
import Receivers
import Systemd
import Testing

@testable import sextantd

/// udev reports the removal of a device whose port is still open: the driver may keep the
/// descriptor alive.
@Suite struct VanishedPortTests {
    /// Opens a port, reports its removal, and returns the statuses of the port and whether it is
    /// still open.
    private func statuses(unlinked: Bool) throws -> (told: [PortStatus], isOpen: Bool) {
        let scratch = try Scratch()
        let virtual = try VirtualPort(scratch("gps"))
        let loop = try EventLoop()
        var told: [PortStatus] = []
        let events = Port.Events(
            bytes: { _, _, _ in ReadSummary() }, status: { _, status, _ in told.append(status) },
            confirmed: { _, _ in },
            locked: { _, _ in },
            remember: { _, _ in }, evidence: { _ in ReceiverIdentity() }, driven: { _ in }, dropped: { _, _ in })
        let port = Port(
            id: ReceiverID(0), name: "gps", device: DeviceDescription(path: virtual.link),
            named: Settings.NamedPort(device: virtual.link, baud: 9600), loop: loop,
            remembered: Port.SavedState(speed: { nil }, receiver: { nil }), power: .auto, holder: { _ in nil },
            events: events)
        port.open(at: loop.now)
        #expect(port.isOpen && told == [.open])
        if unlinked { unlink(virtual.link) }
        port.deviceWasRemoved(at: loop.now)
        let isOpen = port.isOpen
        port.close()
        return (told, isOpen)
    }

    @Test func `a removed port is closed and reported as lost`() throws {
        let (told, isOpen) = try statuses(unlinked: true)
        #expect(!isOpen)
        guard case .absent(let words, lost: true)? = told.last else { throw Disappointment("told \(told)") }
        #expect(words.contains("gps") && words.contains("unplugged"))
    }

    /// The device was replugged and opened before the removal event was read.
    @Test func `a port whose path exists again stays open`() throws {
        let (told, isOpen) = try statuses(unlinked: false)
        #expect(isOpen && told == [.open])
    }
}
