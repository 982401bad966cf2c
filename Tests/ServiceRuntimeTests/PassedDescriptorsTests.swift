import CLinux
import Glibc
import Testing

@testable import SystemCalls

@Suite struct PassedDescriptorsTests {
    private let (sender, receiver): (Int32, Int32)

    init() throws {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try systemCall("creating sockets") { socketpair(AF_UNIX, type, 0, &pair) }
        (sender, receiver) = (pair[0], pair[1])
    }

    private func closeAll() { for number in [sender, receiver] { close(number) } }

    private func send(_ text: String, with descriptor: Int32? = nil) {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { bytes in
            guard let descriptor else { return Glibc.send(sender, bytes.baseAddress, bytes.count, 0) }
            return PassedDescriptors.send(bytes, with: descriptor, to: sender)
        }
        #expect(count == bytes.count)
    }

    private func receive(_ passed: inout PassedDescriptors) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { passed.receive(from: receiver, into: $0) }
    }

    private func flags(of taken: consuming FileDescriptor?) -> Int32? {
        guard let taken else { return nil }
        return fcntl(taken.number, F_GETFD)
    }

    private func isStream(_ number: Int32) -> Bool {
        let descriptor = FileDescriptor(owning: number)
        return PassedDescriptors.isConnectedStream(descriptor)
    }

    @Test func `one descriptor is received with its bytes, and is closed on exec`() throws {
        defer { closeAll() }
        var passed = PassedDescriptors()
        send("ab", with: STDIN_FILENO)
        #expect(receive(&passed) == 2)
        send("c")
        #expect(receive(&passed) == 1)
        #expect(flags(of: passed.takeOnly()) == FD_CLOEXEC)
        #expect(flags(of: passed.takeOnly()) == nil)
        #expect(receive(&passed) == -1 && errno == EAGAIN)
    }

    @Test func `of several descriptors none is returned, and none stays open`() throws {
        defer { closeAll() }
        var pipes: [Int32] = [-1, -1]
        try systemCall("creating a pipe") { pipe(&pipes) }
        do {
            var passed = PassedDescriptors()
            for text in ["a", "b", "c"] {
                send(text, with: pipes[1])
                #expect(receive(&passed) == 1)
            }
            close(pipes[1])
            #expect(flags(of: passed.takeOnly()) == nil)
        }
        var byte: UInt8 = 0
        #expect(read(pipes[0], &byte, 1) == 0, "nobody can write any more")
        close(pipes[0])
    }

    @Test func `only a connected Unix stream socket is one`() throws {
        defer { closeAll() }
        #expect(isStream(dup(receiver)))
        #expect(!isStream(dup(STDIN_FILENO)))
        #expect(!isStream(linux_unix_stream_socket()))
        #expect(!isStream(linux_unix_datagram_socket()))
        // The kernel names the listener itself as the peer of a listening socket.
        let listening = linux_unix_stream_socket()
        // A path of no bytes: the kernel chooses an abstract one.
        var family = sa_family_t(AF_UNIX)
        let bound = withUnsafeMutableBytes(of: &family) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(listening, $0.baseAddress, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        #expect(bound == 0 && listen(listening, 1) == 0)
        #expect(!isStream(listening))
    }
}
