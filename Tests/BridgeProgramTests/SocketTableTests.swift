import CLinux
import Glibc
import SystemCalls
import Testing

@testable import sextant_bridge

@Suite struct SocketTableTests {
    /// A line of /proc/net/tcp on a machine with little-endian byte order.
    private static let line =
        "   1: 0100007F:8F2C 0100007F:0B83 01 00000000:00000000 00:00000000 00000000  1001        0 4711 1"

    @Test func `a line names the user of one end`() {
        let wanted: Set = [
            SocketTable.End("0100007F:8F2C 0100007F:0B83"), SocketTable.End("0100007F:0B83 0100007F:8F2C"),
        ]
        var found: [SocketTable.End: UInt32] = [:]
        SocketTable.find(wanted, in: Array("  sl  local_address\n\(SocketTableTests.line)\nbroken\n\n".utf8), &found)
        #expect(found == [SocketTable.End("0100007F:8F2C 0100007F:0B83"): 1001])
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func `users of local connections are found in the kernel's table`(
        _ host: String
    ) throws {
        var address = linux_internet_address(host, 0)
        let listener = FileDescriptor(owning: try systemCall("listening") { linux_tcp_listener(&address) })
        let number = listener.number
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try systemCall("reading the port") { getsockname(number, address, &length) }
            }
        }
        let client = FileDescriptor(owning: try systemCall("connecting") { linux_tcp_connect(&address) })
        var accepted: Int32 = -1
        for _ in 0..<100 where accepted < 0 {
            accepted = linux_accept(number)
            if accepted < 0 { _ = poll(nil, 0, 10) }
        }
        let server = FileDescriptor(owning: accepted)
        #expect(PeerUser(of: server.number) == .local)
        let end = try #require(SocketTable.End(peerOf: server.number))
        #expect(SocketTable.users(of: [end]) == [end: geteuid()])
        #expect(client.number >= 0)
    }
}
