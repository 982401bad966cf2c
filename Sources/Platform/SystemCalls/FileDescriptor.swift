import CLinux
import Glibc

/// An open file descriptor with exactly one owner. Closes the descriptor when the owner's lifetime
/// ends.
package struct FileDescriptor: ~Copyable {
    /// The descriptor's number in the kernel; valid during the lifetime of this value.
    package let number: Int32

    /// Takes ownership of a descriptor that no other code closes.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Releases ownership without closing the descriptor; the caller must close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Reads the bytes up to the end, at most `limit`.
    ///
    /// - Parameter path: The name of the file in errors.
    package borrowing func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let number = number
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while bytes.count < limit {
            let capacity = min(buffer.count, limit - bytes.count)
            let count = try systemCall("reading \(path)") { read(number, &buffer, capacity) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }

    /// Writes all bytes.
    ///
    /// - Parameter path: The name of the file in errors.
    package borrowing func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let number = number
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("writing \(path)") {
                rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    // Do not repeat close(2) on EINTR: Linux has already closed the descriptor, and another file
    // may use its number.
    deinit { _ = close(number) }
}

/// Identifies the file at a path. A new file can have the same name, but not this pair while the
/// old one exists or is open.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt

    /// Reads the identity of the file at `path`; nil if there is none.
    ///
    /// - Parameter followsLink: Whether to identify the target of a symbolic link instead of the
    ///   link itself.
    package init?(path: String, followsLink: Bool = true) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}

/// Descriptors 0, 1 and 2, which programs and libraries use without checking them.
package enum StandardDescriptors {
    /// Opens `/dev/null` for each standard descriptor that is closed. Writing to a closed standard
    /// output still fails, so a program does not assume that its output was read.
    ///
    /// Call this function before the program opens anything. open(2) returns the lowest free
    /// number. If a program starts with standard error closed, the next file that it opens becomes
    /// standard error. A receiver's port or the daemon's socket would then receive the diagnostic
    /// output.
    package static func openMissing() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // Do not close the descriptor on exec: child processes need it too.
            uninterrupted { open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR) }
        }
    }
}

/// The limit of open files of this process.
package enum DescriptorLimit {
    /// Raises the soft limit to the hard limit, at most 65,536. Each client needs a descriptor, and
    /// the default soft limit is 1,024.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The descriptors that come with the bytes of a Unix socket (SCM_RIGHTS, unix(7)). It keeps one.
///
/// A receiver that does not use this gets none: the kernel closes them.
package struct PassedDescriptors: ~Copyable {
    private var first: FileDescriptor?
    private var hasFirst = false
    private var hasOthers = false

    /// Creates the state of a socket that has received nothing.
    package init() {}

    /// Reads available bytes and a descriptor that comes with them, without waiting.
    ///
    /// - Returns: As recv(2): the number of bytes, 0 at the end, or -1 with `errno`.
    package mutating func receive(from socket: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var number: Int32 = -1
        var others = false
        let count = uninterrupted {
            linux_receive_descriptor(socket, buffer.baseAddress, buffer.count, &number, &others)
        }
        hasOthers = hasOthers || others
        guard number >= 0 else { return count }
        let passed = FileDescriptor(owning: number)
        if hasFirst { hasOthers = true } else { first = consume passed }
        hasFirst = true
        return count
    }

    /// Returns the descriptor if exactly one came, and closes any other.
    package mutating func takeOnly() -> FileDescriptor? {
        let passed = first.take()
        return hasOthers ? nil : passed
    }

    /// Sends bytes with a duplicate of a descriptor, without waiting.
    ///
    /// - Returns: As send(2): the number of bytes, or -1 with `errno`.
    package static func send(_ bytes: UnsafeRawBufferPointer, with descriptor: Int32, to socket: Int32) -> Int {
        uninterrupted { linux_send_descriptor(socket, bytes.baseAddress, bytes.count, descriptor) }
    }

    /// Returns whether a descriptor is a Unix stream socket that is connected.
    package static func isConnectedStream(_ descriptor: borrowing FileDescriptor) -> Bool {
        linux_is_connected_unix_stream(descriptor.number)
    }
}
