import CLinux
import Chronology
import Glibc
import Locator
import Positioning
import Receivers
import SystemCalls
import Systemd
import Testing

@testable import sextantd

/// A converter on which no receiver is confirmed yet, so its status is not published to clients.
@Suite struct ConverterPortTests {
    @Test func `the reason a converter port cannot be read is reported once`() throws {
        let scratch = try Scratch()
        let terminal = try VirtualPort(scratch("tty"))
        var other: FileDescriptor? = FileDescriptor(owning: open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(linux_lock_file(other?.number ?? -1) == 0)
        let loop = try EventLoop()
        var said: [PortStatus] = []
        var events = Port.Events(
            bytes: { _, _, _ in ReadSummary() }, status: { _, _, _ in Issue.record("it is not a receiver's") },
            confirmed: { _, _ in },
            locked: { _, _ in }, remember: { _, _ in }, evidence: { _ in ReceiverIdentity() }, driven: { _ in },
            dropped: { _, _ in })
        events.aside = { said.append($0.status) }
        let port = Port(
            id: ReceiverID(1), name: "tty", device: DeviceDescription(path: terminal.link), named: nil, loop: loop,
            remembered: Port.SavedState(speed: { nil }, receiver: { nil }), power: .off, holder: { _ in nil },
            events: events)
        port.open(at: loop.now)
        for seconds in 1...5 { port.tick(at: loop.now + .seconds(Double(seconds) * 5)) }
        #expect(said.count == 1)
        guard case .busy(let words) = said.first else {
            Issue.record("\(said)")
            return
        }
        #expect(words.contains(terminal.link) && words.contains("is in use"), "\(words)")
        other = nil
        port.tick(at: loop.now + .seconds(60))
        #expect(port.isOpen && said.count == 2)
        port.close()
    }
}
