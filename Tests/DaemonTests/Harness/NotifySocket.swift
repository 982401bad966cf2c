import CLinux
import Glibc
import SystemCalls
import TestSupport

/// The socket of the service manager for sd_notify(3).
final class NotifySocket {
    let path: String
    private let socket: FileDescriptor

    init(_ path: String) throws {
        self.path = path
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        socket = FileDescriptor(owning: try systemCall("creating a socket") { Glibc.socket(AF_UNIX, type, 0) })
        let number = socket.number
        try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
    }

    /// Whether no message waits.
    var isEmpty: Bool { !waitReadable(socket.number, within: .zero) }

    /// Reads until a message has the wanted lines; calls `meanwhile` after each other message.
    func until(_ isWanted: ([String]) -> Bool, meanwhile: () throws -> Void = {}) throws {
        let deadline = Deadline(timeout)
        var seen: [[String]] = []
        while waitReadable(socket.number, within: .milliseconds(Int64(deadline.millisecondsLeft))) {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket.number, &buffer, buffer.count, 0)
            seen.append(
                String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init))
            if isWanted(seen.last ?? []) { return }
            try meanwhile()
        }
        throw TestFailure("the manager received \(seen) only")
    }
}
