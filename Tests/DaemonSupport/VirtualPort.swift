import CLinux
import Glibc
import Simulator
import SystemCalls
import TestSupport

/// A serial port that can be unplugged: a pseudo-terminal behind a symbolic link.
package final class VirtualPort {
    /// The path given to the daemon.
    package let link: String
    /// The baud rate of the simulated receiver; at another rate the daemon reads garbage. Nil if
    /// every rate is readable.
    package var baud: Int?
    private var master: FileDescriptor?

    package init(_ link: String, baud: Int? = nil, lineSpeed: Int? = nil) throws {
        (self.link, self.baud) = (link, baud)
        try plug(lineSpeed: lineSpeed)
    }

    /// Creates a new device and points the link to it.
    package func plug(lineSpeed: Int? = nil) throws {
        var (one, other): (Int32, Int32) = (-1, -1)
        try systemCall("making a pseudo-terminal") { openpty(&one, &other, nil, nil, nil) }
        let new = FileDescriptor(owning: one)
        // Once opened and closed, the other end counts as hung up until a program opens it.
        defer { close(other) }
        // A child of the tests that inherited this end would keep the device plugged in.
        try systemCall("keeping a pseudo-terminal") { fcntl(one, F_SETFD, FD_CLOEXEC) }
        try systemCall("keeping a pseudo-terminal") { fcntl(one, F_SETFL, O_NONBLOCK) }
        var settings = termios()
        tcgetattr(new.number, &settings)
        cfmakeraw(&settings)
        if let lineSpeed { cfsetspeed(&settings, linux_speed_constant(Int64(lineSpeed))) }
        try systemCall("setting up a pseudo-terminal") { tcsetattr(new.number, TCSANOW, &settings) }
        var name = [CChar](repeating: 0, count: 128)
        guard ttyname_r(other, &name, name.count) == 0 else {
            throw SystemError(code: errno, operation: "naming a pseudo-terminal")
        }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        unlink(link + ".new")
        try systemCall("linking \(link)") { symlink(path, link + ".new") }
        try systemCall("linking \(link)") { rename(link + ".new", link) }
        master = consume new
    }

    /// The path of the device, such as `/dev/pts/3`.
    package private(set) var path = ""

    /// Removes the device and its link.
    package func unplug() {
        unlink(link)
        master = nil
    }

    /// Opens the device exclusively, as another program would.
    package func hold() throws -> Holder {
        let file = FileDescriptor(
            owning: try systemCall("opening \(path)") { open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) })
        try systemCall("claiming \(path)") { linux_terminal_set_exclusive(file.number, true) }
        return Holder(file)
    }

    /// A program that holds the device exclusively.
    package final class Holder {
        private var file: FileDescriptor?

        fileprivate init(_ file: consuming FileDescriptor) { self.file = consume file }

        package func release() {
            if let number = file?.number { _ = linux_terminal_set_exclusive(number, false) }
            file = nil
        }
    }

    /// Whether any program has the device open.
    package var isOpen: Bool {
        var entry = pollfd(fd: number, events: 0, revents: 0)
        return poll(&entry, 1, 0) >= 0 && Int32(entry.revents) & Int32(POLLHUP | POLLNVAL) == 0
    }

    /// Sends all bytes as fast as they are read; calls `meanwhile` whenever the buffer is full, and
    /// at the end.
    package func send(_ bytes: [UInt8], within span: Duration = timeout, meanwhile: () throws -> Void = {}) throws {
        var rest = (baud.map { BaudRateMismatch.read(bytes, sender: $0, listener: baudRate ?? $0) } ?? bytes)[...]
        let deadline = Deadline(span)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            rest = rest.dropFirst(max(0, count))
            if count > 0 { continue }
            guard errno == EAGAIN else { throw SystemError(code: errno, operation: "sending to \(path)") }
            guard !deadline.isPast else { throw TestFailure("the daemon has left \(rest.count) bytes unread") }
            try meanwhile()
            // The write is also retried at short intervals: a pseudo-terminal does not always
            // signal free space.
            var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, 20)
        }
        try meanwhile()
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Returns the bytes that the daemon has written since the last call.
    package func received() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(number, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private var number: Int32 { master?.number ?? -1 }

    /// The baud rate that the daemon has set.
    package var baudRate: Int? {
        var settings = termios()
        guard tcgetattr(number, &settings) == 0 else { return nil }
        let constant = cfgetospeed(&settings)
        return [4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600].first {
            linux_speed_constant($0) == constant
        }.map {
            Int($0)
        }
    }
}
