import CLinux
import Chronology
import Glibc
import Locator
import Positioning
import Receivers
import ServiceRuntime
import SystemCalls
import TestSupport
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
        let recorder = PortRecorder()
        var statuses: [PortStatus] {
            recorder.events.compactMap { event in
                if case .unconfirmedStatusChanged(let status) = event { return status }
                if case .statusChanged = event { Issue.record("it is not a receiver's") }
                return nil
            }
        }
        let port = Port(
            id: ReceiverID(1), name: "tty", device: DeviceDescription(path: terminal.link), named: nil, loop: loop,
            power: .off, delegate: recorder)
        port.open(at: loop.now)
        for seconds in 1...5 { port.tick(at: loop.now + .seconds(Double(seconds) * 5)) }
        #expect(statuses.count == 1)
        guard case .busy(let message) = statuses.first else {
            Issue.record("\(statuses)")
            return
        }
        #expect(message.contains(terminal.link) && message.contains("is in use"), "\(message)")
        other = nil
        port.tick(at: loop.now + .seconds(60))
        #expect(port.isOpen && statuses.count == 2)
        port.close(at: loop.now)
    }
}
