import CLinux
import Glibc

/// The descriptors that come with the bytes of a Unix socket (SCM_RIGHTS, unix(7)). It keeps one.
///
/// A receiver that does not use this gets none: the kernel closes them.
package struct PassedDescriptors: ~Copyable {
    private var first: FileDescriptor?
    /// Whether one was received.
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
