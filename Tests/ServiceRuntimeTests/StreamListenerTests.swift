import CLinux
import Glibc
import SystemCalls
import Testing

@testable import ServiceRuntime

private final class Directory {
    let path: String

    init() throws {
        var template = Array("/tmp/sextant-listener-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "making a directory") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    deinit {
        for name in ["deep/er/socket", "socket"] { _ = unlink(self(name)) }
        for name in ["deep/er", "deep", ""] { _ = rmdir(self(name)) }
    }
}

private func connected(to path: String) throws -> FileDescriptor {
    let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
    let number = socket.number
    try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
    return socket
}

private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// Creates a socket file whose process no longer exists.
private func abandonSocket(at path: String) throws {
    let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
    let number = socket.number
    try systemCall("binding \(path)") { linux_unix_bind(number, path, path.utf8.count) }
}

@Suite struct StreamListenerTests {
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test func `accept returns nil when no connection is pending`() throws {
        let listener = try StreamListener(path: directory("socket"))
        let first = try connected(to: directory("socket"))
        let second = try connected(to: directory("socket"))
        #expect(try listener.accept()?.number != nil)
        #expect(try listener.accept()?.number != nil)
        #expect(try listener.accept()?.number == nil)
        _ = (first.number, second.number)
    }

    @Test func `accepted connections are nonblocking and close on exec`() throws {
        let listener = try StreamListener(path: directory("socket"))
        let client = try connected(to: directory("socket"))
        let number = try #require(try listener.accept()?.release())
        #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        close(number)
        _ = client.number
    }

    @Test func `the listener creates directories and sets permissions`() throws {
        let path = directory("deep/er/socket")
        let listener = try StreamListener(path: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
        #expect(listener.path == path)
    }

    @Test func `an abandoned socket is taken over`() throws {
        try abandonSocket(at: directory("socket"))
        let listener = try StreamListener(path: directory("socket"))
        let client = try connected(to: directory("socket"))
        #expect(try listener.accept()?.number != nil)
        _ = client.number
    }

    @Test func `a socket in use is rejected and kept`() throws {
        let path = directory("socket")
        let listener = try StreamListener(path: path)
        #expect(throws: ListenerError.inUse(path: path)) { _ = try StreamListener(path: path) }
        #expect(
            ListenerError.inUse(path: path).description(option: "--unix")
                == "another program already listens on \(path); stop it or choose another path with --unix")
        #expect(
            "\(ListenerError.notASocket(path: path))"
                == "\(path) exists and is not a Unix stream socket; remove it or choose another path")
        #expect(exists(path))
        _ = listener.descriptor
    }

    @Test func `a file that is not a socket is rejected and kept`() throws {
        let path = directory("socket")
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: ListenerError.notASocket(path: path)) { _ = try StreamListener(path: path) }
        #expect(exists(path))
    }

    @Test(arguments: [0, 108, 4000]) func `an empty or overlong path is rejected`(length: Int) {
        let path = String(repeating: "x", count: length)
        #expect(throws: ListenerError.invalidPathLength(path: path)) { _ = try StreamListener(path: path) }
    }

    @Test func `the listener removes its socket`() throws {
        var listener: StreamListener? = try StreamListener(path: directory("socket"))
        #expect(exists(directory("socket")))
        _ = listener?.descriptor
        listener = nil
        #expect(!exists(directory("socket")))
    }

    @Test func `the listener keeps the socket of a successor`() throws {
        var listener: StreamListener? = try StreamListener(path: directory("socket"))
        _ = listener?.descriptor
        unlink(directory("socket"))
        let successor = try StreamListener(path: directory("socket"))
        listener = nil
        #expect(exists(directory("socket")))
        _ = successor.descriptor
    }

    @Test func `peer credentials identify the client`() throws {
        let listener = try StreamListener(path: directory("socket"))
        let client = try connected(to: directory("socket"))
        let number = try #require(try listener.accept()?.release())
        let peer = try #require(try PeerCredentials(of: number))
        #expect(peer.process == getpid())
        #expect(peer.user == geteuid())
        #expect(peer.group == getegid())
        close(number)
        _ = client.number
    }

    @Test func `a file has no peer credentials`() throws {
        let file = FileDescriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
        #expect(throws: SystemError(code: ENOTSOCK, operation: "reading the peer's credentials")) {
            _ = try PeerCredentials(of: file.number)
        }
    }
}
