import Glibc
import Synchronization

/// A service that sends numbered updates to two clients, 50 per second, and records when.
final class Service: Sendable {
    /// The time between two updates in microseconds.
    private static let interval: UInt32 = 20_000

    private let sent: Recording

    /// Listens at `path` and begins to send when two clients have called.
    init(at path: String, updates: Int) throws(Failure) {
        sent = Recording(count: updates)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress(of: path, { bind(listener, $0, $1) }) == 0, listen(listener, 2) == 0 else {
            throw Failure(operation: "listening at \(path)", code: errno)
        }
        let sent = sent
        startThread {
            let clients = (0..<2).map { _ in accept(listener, nil, nil) }
            for client in clients { Service.readCall(from: client) }
            for number in 0..<updates {
                usleep(Service.interval)
                let message = Service.update(number)
                sent.record(number)
                // In turn, so that neither client is always the first.
                for client in number % 2 == 0 ? clients : clients.reversed() {
                    _ = send(client, message, message.count, Int32(MSG_NOSIGNAL))
                }
            }
            usleep(Service.interval)
            for client in clients { close(client) }
        }
    }

    func times() -> [Int64] { sent.times() }

    private static func readCall(from client: Int32) {
        var byte: UInt8 = 1
        while byte != 0, read(client, &byte, 1) == 1 {}
    }

    /// An update of 400 bytes, as long as one of the daemon.
    private static func update(_ number: Int) -> [UInt8] {
        let text =
            #"{"parameters":{"sequence":\#(number + 1),"dropped":0,"location":{"timestamp":"2026-11-22T10:00:00.000Z","#
            + #""latitude":51.507351123,"longitude":-0.127758456,"horizontalAccuracy":2.125,"accuracySource":"gst","#
            + #""altitude":35.125,"ellipsoidalAltitude":81.025,"verticalAccuracy":3.25,"speed":1.375,"#
            + #""speedAccuracy":0.25,"course":123.5,"mode":"3d","quality":"autonomous","satellitesUsed":\#(number),"#
            + #""hdop":0.875,"receiver":"ttyACM0"}},"continues":true}"#
        return Array(text.utf8) + [0]
    }
}

/// A client that waits for the updates in read(2).
final class WireReader: Sendable {
    private let received: Recording

    /// Subscribes at `path` and begins to read.
    init(at path: String, updates: Int) throws(Failure) {
        received = Recording(count: updates)
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withAddress(of: path, { connect(client, $0, $1) }) == 0 else {
            throw Failure(operation: "connecting to \(path)", code: errno)
        }
        let call = Array(#"{"method":"io.sextant.Location.Subscribe","more":true}"#.utf8) + [0]
        _ = send(client, call, call.count, Int32(MSG_NOSIGNAL))
        let received = received
        startThread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var number = 0
            while number < updates {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { break }
                for byte in buffer.prefix(count) where byte == 0 {
                    received.record(number)
                    number += 1
                }
            }
            close(client)
        }
    }

    func times() -> [Int64] { received.times() }
}

/// Instants by number, which one thread records and another one reads.
final class Recording: Sendable {
    private let instants: Mutex<[Int64]>

    init(count: Int) { instants = Mutex([Int64](repeating: 0, count: count)) }

    /// Records that something with this number happened now.
    func record(_ number: Int) {
        let now = Clock.now()
        instants.withLock { $0[number] = now }
    }

    func times() -> [Int64] { instants.withLock { $0 } }
}

/// A call of the system that failed.
struct Failure: Error {
    var operation: String
    var code: Int32
}

/// The monotonic clock.
enum Clock {
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Calls `body` with the address of a Unix socket.
private func withAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Runs `body` on a thread of its own.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Box(body)).toOpaque()
    pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }, argument)
}
