import CLinux
import Chronology
import Glibc
import Locator
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

    /// The device is unplugged between its opening and the first baud rate.
    @Test func `a port whose opening fails halfway is opened later`() throws {
        let scratch = try Scratch()
        let terminal = try VirtualPort(scratch("tty"))
        let loop = try EventLoop()
        let recorder = PortRecorder()
        recorder.onOpening = { terminal.unplug() }
        let port = Port(
            id: ReceiverID(1), name: "tty", device: DeviceDescription(path: terminal.link),
            named: Settings.NamedPort(device: terminal.link), loop: loop, power: .off, delegate: recorder)
        port.open(at: loop.now)
        #expect(!port.isOpen && recorder.isOpened)
        recorder.onOpening = {}
        try terminal.plug()
        for seconds in 1...60 where !port.isOpen { port.tick(at: loop.now + .seconds(Double(seconds))) }
        #expect(port.isOpen && terminal.isOpen)
        port.close(at: loop.now)
    }
}
