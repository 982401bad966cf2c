import CLinux
import Chronology
import Glibc
import Locator
import Receivers
import SystemCalls
import Systemd
import Testing

@testable import sextantd

/// A converter behind which nothing has shown itself yet, so that clients do not hear of it.
@Suite struct ConverterPortTests {
    @Test func whyItCannotBeListenedToIsSaidOnce() throws {
        let scratch = try Scratch()
        let terminal = try VirtualPort(scratch("tty"))
        var other: FileDescriptor? = FileDescriptor(owning: open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(linux_lock_file(other?.number ?? -1) == 0)
        let loop = try EventLoop()
        var said: [PortStatus] = []
        var events = Port.Events(
            bytes: { _, _, _ in Reception() }, status: { _, _, _ in Issue.record("it is not a receiver's") }, proven: { _, _ in },
            locked: { _, _ in }, remember: { _, _ in }, evidence: { _ in ReceiverEvidence() }, driven: { _ in }, dropped: { _, _ in })
        events.aside = { said.append($0.status) }
        let port = Port(
            id: ReceiverID(1), name: "tty", device: DeviceDescription(path: terminal.link), named: nil, loop: loop,
            remembered: Port.Remembered(speed: { nil }, receiver: { nil }), power: .off, holder: { _ in nil }, events: events)
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
