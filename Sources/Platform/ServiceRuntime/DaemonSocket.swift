import CLinux
import Glibc
import SystemCalls
import Varlink
import VarlinkClient

/// The daemon's socket, to which programs connect without waiting.
enum DaemonSocket {
    /// Returns a connected socket that does not block.
    ///
    /// While the daemon's queue of connections is full, this throws EAGAIN instead of waiting.
    static func connect(to path: String) throws(ClientError) -> FileDescriptor {
        do throws(SystemError) {
            let socket = FileDescriptor(
                owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let number = socket.number
            try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
            return socket
        } catch {
            throw error.code == ENAMETOOLONG ? .pathTooLong(path: path) : .connecting(path: path, errno: error.code)
        }
    }
}
