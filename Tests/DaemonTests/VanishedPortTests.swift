import Glibc
import Locator
import Receivers
import Systemd
import Testing

@testable import sextantd

/// Word from udev that a device is gone, about a port that is open still: the driver may keep the descriptor alive.
@Suite struct VanishedPortTests {
    /// Plays until the word has been heard; returns what the port told of itself.
    private func statuses(unlinked: Bool) throws -> (told: [PortStatus], isOpen: Bool) {
        let scratch = try Scratch()
        let virtual = try VirtualPort(scratch("gps"))
        let loop = try EventLoop()
        var told: [PortStatus] = []
        let events = Port.Events(
            bytes: { _, _, _ in Reception() }, status: { _, status, _ in told.append(status) }, proven: { _, _ in }, locked: { _, _ in },
            remember: { _, _ in }, evidence: { _ in ReceiverEvidence() }, driven: { _ in }, dropped: { _, _ in })
        let port = Port(
            id: ReceiverID(0), name: "gps", device: DeviceDescription(path: virtual.link),
            named: Settings.NamedPort(device: virtual.link, baud: 9600), loop: loop,
            remembered: Port.Remembered(speed: { nil }, receiver: { nil }), power: .auto, holder: { _ in nil }, events: events)
        port.open(at: loop.now)
        #expect(port.isOpen && told == [.open])
        if unlinked { unlink(virtual.link) }
        port.vanished(at: loop.now)
        let isOpen = port.isOpen
        port.close()
        return (told, isOpen)
    }

    @Test func itIsClosedAndTheLossIsTold() throws {
        let (told, isOpen) = try statuses(unlinked: true)
        #expect(!isOpen)
        guard case .absent(let words, lost: true)? = told.last else { throw Disappointment("told \(told)") }
        #expect(words.contains("gps") && words.contains("unplugged"))
    }

    /// It was plugged in again, and opened, before the word of its going was read.
    @Test func whatIsThereAgainStaysOpen() throws {
        let (told, isOpen) = try statuses(unlinked: false)
        #expect(isOpen && told == [.open])
    }
}
