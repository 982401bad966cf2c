import Bridges
import CLinux
import Chronology
import Glibc
import SystemCalls

/// A pseudo-terminal for programs that read a serial port, with a link to it.
///
/// A program that opens it gets sentences from then on. One that reads too slowly loses whole
/// epochs.
final class TerminalSender {
    private let master: FileDescriptor
    private let path: String
    private let link: PortSymlink
    private var queue = OutputQueue()

    /// Creates the pseudo-terminal, and the link at a path.
    init(link path: String) throws(SystemError) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try systemCall("opening a pseudo-terminal") { openpty(&master, &slave, nil, nil, nil) }
        self.master = FileDescriptor(owning: master)
        var name = [CChar](repeating: 0, count: 128)
        let code = ttyname_r(slave, &name, name.count)
        // After it was closed once, the terminal counts as hung up until a program opens it.
        close(slave)
        self.path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        link = PortSymlink(path: path)
        guard code == 0 else { throw SystemError(code: code, operation: "getting the name of the pseudo-terminal") }
        var settings = termios()
        try systemCall("reading the settings of \(self.path)") { tcgetattr(master, &settings) }
        cfmakeraw(&settings)
        try systemCall("configuring \(self.path)") { tcsetattr(master, TCSANOW, &settings) }
        try systemCall("configuring \(self.path)") { fcntl(master, F_SETFL, O_NONBLOCK) }
        try systemCall("configuring \(self.path)") { fcntl(master, F_SETFD, FD_CLOEXEC) }
        try link.point(to: self.path)
    }

    deinit { link.remove(ifPointingTo: path) }

    /// Whether a program has the terminal open.
    private var hasReader: Bool {
        var descriptor = pollfd(fd: master.number, events: 0, revents: 0)
        return uninterrupted { poll(&descriptor, 1, 0) } >= 0 && Int32(descriptor.revents) & Int32(POLLHUP) == 0
    }

    /// Writes whole sentences, or drops them if earlier ones still wait.
    func send(_ sentences: [UInt8], at now: Instant) {
        guard hasReader else {
            queue = OutputQueue()
            return
        }
        if queue.isEmpty { queue.append(sentences, at: now) }
        queue.write(at: now) { bytes in max(0, uninterrupted { write(master.number, bytes.baseAddress, bytes.count) }) }
    }
}
