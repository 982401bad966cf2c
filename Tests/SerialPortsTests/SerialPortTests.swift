import CLinux
import Glibc
import Receivers
import SystemCalls
import TestSupport
import Testing

@testable import SerialPorts

/// Waits at most five seconds for an event on `descriptor`.
private func awaitEvent(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 5000) > 0
}

@Suite struct SerialPortTests {
    private let receiver: PseudoTerminal

    init() throws { receiver = try PseudoTerminal() }

    @Test func `a read returns available bytes without blocking`() throws {
        let port = try SerialPort(path: receiver.path)
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(port.read(into: &buffer) == .wouldBlock)
        receiver.send("$GPTXT\r\n")
        #expect(awaitEvent(port.descriptor))
        #expect(port.read(into: &buffer) == .bytes(8))
        #expect(Array(buffer.prefix(8)) == Array("$GPTXT\r\n".utf8))
        #expect(port.read(into: &buffer) == .wouldBlock)
    }

    @Test func `every byte value is received unchanged`() throws {
        let port = try SerialPort(path: receiver.path)
        let bytes = [UInt8](0...255)
        _ = write(receiver.number, bytes, bytes.count)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64)
        while received.count < bytes.count, awaitEvent(port.descriptor) {
            if case .bytes(let count) = port.read(into: &buffer) { received += buffer.prefix(count) }
        }
        #expect(received == bytes)
    }

    @Test func `received bytes are not echoed`() throws {
        let port = try SerialPort(path: receiver.path)
        receiver.send("AT\r")
        #expect(awaitEvent(port.descriptor))
        #expect(linux_bytes_readable(receiver.number) == 0)
    }

    @Test func `a write sends its bytes`() throws {
        let port = try SerialPort(path: receiver.path)
        #expect(port.access == .readWrite)
        #expect(port.write(Array("$PMTK605*31\r\n".utf8)) == .wrote(13))
        #expect(receiver.receive() == "$PMTK605*31\r\n")
    }

    @Test func `the line is raw, without flow control and without hangup on close`() throws {
        let port = try SerialPort(path: receiver.path)
        let settings = receiver.settings
        #expect(settings.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
        #expect(settings.c_cflag & (tcflag_t(HUPCL | CSTOPB | PARENB) | linux_crtscts()) == 0)
        #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
        #expect(settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
        #expect(settings.c_iflag & tcflag_t(IXON | ICRNL | ISTRIP) == 0)
        #expect(settings.c_oflag & tcflag_t(OPOST) == 0)
        #expect(fcntl(port.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test(arguments: BaudRateDetector.order) func `the other end sees the baud rate`(baudRate: Int) throws {
        let port = try SerialPort(path: receiver.path)
        try port.setBaudRate(baudRate)
        #expect(port.baudRate == baudRate)
        #expect(withUnsafePointer(to: receiver.settings) { cfgetospeed($0) } == linux_speed_constant(Int64(baudRate)))
    }

    @Test func `a port is opened at a given baud rate or keeps its own`() throws {
        do {
            let port = try SerialPort(path: receiver.path, baudRate: 4800)
            #expect(port.baudRate == 4800)
        }
        #expect(try SerialPort(path: receiver.path).baudRate == 4800)
    }

    @Test func `a change of baud rate discards received bytes`() throws {
        let port = try SerialPort(path: receiver.path)
        receiver.send("garbled")
        #expect(awaitEvent(port.descriptor))
        try port.setBaudRate(115_200)
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(port.read(into: &buffer) == .wouldBlock)
    }

    @Test(arguments: [0, -1, 12_345, Int.max]) func `an unsupported baud rate is rejected`(baudRate: Int) throws {
        let port = try SerialPort(path: receiver.path, baudRate: 9600)
        #expect(throws: SerialError.baudRateUnsupported(path: receiver.path, baudRate: baudRate)) {
            try port.setBaudRate(baudRate)
        }
        #expect(port.baudRate == 9600)
    }

    @Test func `reads and writes on an unplugged port report it as gone`() throws {
        let port = try SerialPort(path: receiver.path)
        receiver.unplug()
        #expect(awaitEvent(port.descriptor))
        var buffer = [UInt8](repeating: 0, count: 64)
        guard case .lost = port.read(into: &buffer) else {
            Issue.record("the port reads as if it were there")
            return
        }
        guard case .lost = port.write([0]) else {
            Issue.record("the port writes as if it were there")
            return
        }
    }

    @Test func `the baud rate of a pseudo-terminal matters`() throws {
        #expect(try SerialPort(path: receiver.path).hasBaudRate)
    }

    /// Root may write to any file, so the test needs another user.
    @Test(.enabled(if: geteuid() != 0, "root may open any file"))
    func `a read-only port can be read and refuses writes`() throws {
        chmod(receiver.path, 0o400)
        let port = try SerialPort(path: receiver.path, baudRate: 4800)
        #expect(port.access == .readOnly)
        #expect(port.baudRate == 4800)
        #expect(port.write([0]) == .refused)
    }

    @Test(.enabled(if: geteuid() != 0, "root may open any file"))
    func `a permission error names the group that helps`() throws {
        chmod(receiver.path, 0)
        #expect(throws: SerialError.permissionDenied(path: receiver.path, group: nil)) {
            _ = try SerialPort(path: receiver.path)
        }
        chmod(receiver.path, 0o040)
        do {
            _ = try SerialPort(path: receiver.path)
            Issue.record("the port was opened")
        } catch SerialError.permissionDenied(let path, let group) {
            #expect(path == receiver.path)
            #expect(group != nil)
        }
    }

    /// Terminal programs lock ports against each other with flock(2).
    @Test func `a port locked by another program is busy`() throws {
        let other = FileDescriptor(owning: open(receiver.path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(linux_lock_file(other.number) == 0)
        do {
            _ = try SerialPort(path: receiver.path)
            Issue.record("the port was opened")
        } catch SerialError.busy(let path, _) {
            #expect(path == receiver.path)
        }
        _ = other.release()
    }

    @Test func `an open port is locked until it is closed`() throws {
        let other = FileDescriptor(owning: open(receiver.path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        do {
            let port = try SerialPort(path: receiver.path)
            #expect(linux_lock_file(other.number) == -1 && errno == EWOULDBLOCK)
            #expect(port.descriptor >= 0)
        }
        #expect(linux_lock_file(other.number) == 0)
    }

    @Test func `a pseudo-terminal is not opened exclusively`() throws {
        _ = try SerialPort(path: receiver.path)
        let port = try SerialPort(path: receiver.path)
        #expect(linux_terminal_is_exclusive(port.descriptor) == 0)
    }
}

@Suite struct SerialErrorTests {
    @Test func `a missing device is reported as not found`() {
        #expect(throws: SerialError.notFound(path: "/dev/ttyNONE9")) { _ = try SerialPort(path: "/dev/ttyNONE9") }
    }

    @Test(arguments: ["/dev/null", "/proc/self/status", "/tmp"]) func `a path that is not a terminal is rejected`(
        path: String
    ) {
        #expect(throws: SerialError.notATerminal(path: path)) { _ = try SerialPort(path: path) }
    }

    @Test(arguments: [
        (SerialError.notFound(path: "/dev/ttyUSB0"), "/dev/ttyUSB0: no such device"),
        (
            .permissionDenied(path: "/dev/ttyUSB0", group: "dialout"),
            "/dev/ttyUSB0: permission denied; members of the group dialout may open it"
        ),
        (
            .permissionDenied(path: "/dev/ttyUSB0", group: nil),
            "/dev/ttyUSB0: permission denied; to see who may open it: ls -lL /dev/ttyUSB0"
        ),
        (
            SerialPort.failure(SystemError(code: EPERM, operation: "opening /dev/ttymxc1"), at: "/dev/ttymxc1"),
            "/dev/ttymxc1: the service's device filter forbids it; "
                + "allow its driver with DeviceAllow=: systemctl edit sextantd"
        ),
        (.busy(path: "/dev/ttyUSB0", holders: []), "/dev/ttyUSB0 is in use"),
        (
            .busy(
                path: "/dev/ttyUSB0",
                holders: [PortHolder(process: 812, command: "gpsd"), PortHolder(process: 9, command: "cu")]),
            "/dev/ttyUSB0 is in use by gpsd (pid 812), cu (pid 9)"
        ),
        (
            .notATerminal(path: "/dev/null"),
            "/dev/null is not a serial port; name the port of a receiver, such as /dev/ttyUSB0"
        ),
        (.baudRateUnsupported(path: "/dev/ttyS0", baudRate: 921_600), "/dev/ttyS0 does not run at 921600 baud"),
    ]) func `each error describes its problem`(error: SerialError, words: String) {
        #expect(error.description == words)
    }
}

@Suite struct PortHolderTests {
    /// Starts a child that has the terminal open as its standard input and waits to be killed.
    private func startHolder(of path: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR | O_NOCTTY, 0)
        var process = pid_t()
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { arguments.forEach { free($0) } }
        let code = posix_spawnp(&process, "sleep", &actions, nil, arguments, environ)
        if code != 0 { throw SystemError(code: code, operation: "starting sleep") }
        return process
    }

    private func stop(_ process: pid_t) {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    @Test func `a process that opened the port without a lock is found`() throws {
        let receiver = try PseudoTerminal()
        let holder = try startHolder(of: receiver.path)
        defer { stop(holder) }
        #expect(PortHolder.holders(of: receiver.path) == [PortHolder(process: holder, command: "sleep")])
        #expect(throws: Never.self) { _ = try SerialPort(path: receiver.path) }
    }

    /// For root the kernel allows the second open; for other users it returns EBUSY. Both are
    /// reported as the same error.
    @Test func `an exclusively opened port is busy`() throws {
        let receiver = try PseudoTerminal()
        let holder = try startHolder(of: receiver.path)
        defer { stop(holder) }
        let claimant = FileDescriptor(owning: open(receiver.path, O_RDWR | O_NOCTTY | O_CLOEXEC))
        #expect(linux_terminal_set_exclusive(claimant.number, true) == 0)
        let expected = SerialError.busy(path: receiver.path, holders: [PortHolder(process: holder, command: "sleep")])
        #expect(throws: expected) { _ = try SerialPort(path: receiver.path) }
        #expect(linux_terminal_is_exclusive(claimant.number) == 1)
    }

    /// As a login has it, whose files other users cannot see.
    @Test func `a process whose controlling terminal is the port is found`() throws {
        let receiver = try PseudoTerminal()
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Glibc does not export. A leader of a session gets its first
        // terminal as controlling terminal.
        posix_spawnattr_setflags(&attributes, 0x80)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, receiver.path, O_RDWR, 0)
        posix_spawn_file_actions_addclose(&actions, 0)
        var process = pid_t()
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { arguments.forEach { free($0) } }
        #expect(posix_spawnp(&process, "sleep", &actions, &attributes, arguments, environ) == 0)
        defer { stop(process) }
        #expect(PortHolder.holders(of: receiver.path) == [PortHolder(process: process, command: "sleep")])
    }

    @Test func `a program that configures receivers and hides its files is found`() throws {
        let scratch = try Scratch()
        let root = scratch("proc")
        #expect(PortHolder.unseen(in: root) == .processes)
        func add(_ process: Int, _ command: String, hasFiles: Bool = false) throws {
            try Directory.make("\(root)/\(process)" + (hasFiles ? "/fd" : ""))
            try AtomicFile(path: "\(root)/\(process)/comm").replace(with: "\(command)\n")
        }
        try add(1, "systemd")
        try add(30, "ModemManager")
        try add(31, "gpsd", hasFiles: true)
        #expect(PortHolder.unseen(in: root) == .none)
        try add(812, "gpsd")
        #expect(PortHolder.unseen(in: root) == .program(PortHolder(process: 812, command: "gpsd")))
    }

    @Test func `ports of this process are not reported`() throws {
        let receiver = try PseudoTerminal()
        let port = try SerialPort(path: receiver.path)
        #expect(PortHolder.holders(of: receiver.path).isEmpty)
        _ = port.descriptor
    }

    @Test(arguments: ["/dev/ttyNONE9", "/proc/self/status"]) func `a path that is not a device has no holders`(
        path: String
    ) {
        #expect(PortHolder.holders(of: path).isEmpty)
    }
}
