import CLinux
import Glibc
import SystemCalls
import TestSupport

/// An open descriptor that can be kept in an array.
final class FileDescriptorBox {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension PlacesProgram {
    /// A plain connection to the socket.
    func connect() throws -> Int32 {
        let number = try systemCall("creating a socket") { linux_unix_stream_socket() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(socket.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw TestFailure("a long path") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = try systemCall("connecting") {
                    Glibc.connect(number, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        return number
    }
}
