import CLinux
import DaemonSupport
import Glibc
import SystemCalls
import TestSupport
import Testing

/// The real `sextant-bridge`, started by a test beside a daemon.
final class BridgeProgram {
    let process: ChildProcess
    let port: Int

    /// Starts a role with an address of its own, after the words of another program that starts it.
    init(_ role: [String], of daemon: TestDaemon, port: Int, before: [String] = []) throws {
        self.port = port
        process = try ChildProcess(
            before + [try Programs.path(of: "sextant-bridge")] + role + ["--socket", daemon.socket],
            record: daemon.scratch("bridge.log"))
    }

    /// Starts the role `gpsd` with two sockets, and waits until it accepts connections.
    static func gpsd(of daemon: TestDaemon) throws -> BridgeProgram {
        let port = try freePort()
        // The address that is waited for is the last one.
        let bridge = try BridgeProgram(
            ["gpsd", "--listen", "[::1]:\(port)", "--listen", "127.0.0.1:\(port)"], of: daemon, port: port)
        try bridge.waitForPort()
        return bridge
    }

    /// Waits until the bridge accepts connections.
    func waitForPort() throws {
        try waitUntil("port \(port); \(process.output)") {
            guard process.isRunning else { throw TestFailure("the bridge has ended: \(process.output)") }
            return (try? TCPClient(port: port)) != nil
        }
    }

    /// Starts a program of another project.
    func client(_ words: [String], _ daemon: TestDaemon) throws -> ChildProcess {
        try ChildProcess(words, record: daemon.scratch("client-\(words[0].split(separator: "/").last ?? "")"))
    }

    /// Returns a port that was free a moment ago.
    static func freePort() throws -> Int {
        var address = linux_internet_address("127.0.0.1", 0)
        let socket = FileDescriptor(owning: try systemCall("finding a port") { linux_tcp_listener(&address) })
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number = socket.number
        try withUnsafeMutablePointer(to: &bound) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try systemCall("finding a port") { getsockname(number, address, &length) }
            }
        }
        return withUnsafePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
        }
    }
}

/// A plain connection to a port of this machine.
final class TCPClient {
    private let socket: FileDescriptor
    private(set) var text = ""

    init(port: Int) throws {
        var address = linux_internet_address("127.0.0.1", UInt16(clamping: port))
        let number = try systemCall("creating a socket") { Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        socket = FileDescriptor(owning: number)
        let length = linux_internet_address_length(&address)
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try systemCall("connecting to port \(port)") { connect(number, address, length) }
            }
        }
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let number = socket.number
        try systemCall("sending") { Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Sends as much as the connection accepts now; returns the number of bytes.
    func sendNow(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
    }

    /// Sends no more; the program may still send.
    func endOutput() throws {
        let number = socket.number
        try systemCall("ending the output") { shutdown(number, Int32(SHUT_WR)) }
    }

    /// Reads what has arrived; throws if the connection has ended.
    func read() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
        guard count != 0 else { throw TestFailure("the connection has ended after: \(text)") }
    }

    /// Reads until a text has arrived; returns all that arrived since the last call.
    @discardableResult
    func until(_ wanted: String, meanwhile: () throws -> Void = {}) throws -> String {
        try waitUntil("\(wanted) after: \(text)") {
            try meanwhile()
            try read()
            return text.contains(wanted)
        }
        defer { text = "" }
        return text
    }
}
