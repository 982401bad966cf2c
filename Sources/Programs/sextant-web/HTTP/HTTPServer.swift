import CLinux
import CMicrohttpd
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// Decides how requests are answered.
protocol HTTPServerDelegate: AnyObject {
    /// Returns an answer to a request whose content is not needed; nil to read the content.
    func refusal(of exchange: HTTPExchange) -> HTTPResponse?
    /// Answers a complete request, now or later.
    func answer(_ exchange: HTTPExchange)
    /// A request is over: it has been answered, or its connection has ended.
    func ended(_ exchange: HTTPExchange)
}

/// HTTP for the connections of a socket, by libmicrohttpd in the event loop.
final class HTTPServer {
    static let maxConnections = 64
    /// The maximum number of connections of another machine, and of this one.
    private static let maxOfPeer = 16
    private static let maxOfMachine = 48
    /// How long a peer has for a whole request, and how long a connection waits for the next one.
    static let requestLimit = Instant.Span.seconds(10)
    /// How long a peer has to read an answer, except a stream of events.
    private static let answerLimit = Instant.Span.seconds(60)
    /// The seconds after which a peer that accepts nothing is given up.
    private static let stallLimit: UInt32 = 30
    /// The memory of a connection in bytes, in which the head of a request must fit.
    private static let connectionMemory = 8192

    private let loop: EventLoop
    private unowned let delegate: any HTTPServerDelegate
    private var server: OpaquePointer?
    private var source: IOSource?
    private var listeners: [StreamListener] = []
    private var sources: [IOSource] = []
    private struct Connection {
        let peer: Peer
        /// Whether there is no complete request.
        var isWaiting = true
        /// When it is ended; nil for a stream of events.
        var end: Instant?
    }

    private var connections: [Int32: Connection] = [:]
    /// Further work of libmicrohttpd that does not wait for a descriptor.
    private var work: DeferredWork?

    /// The number of requests in progress.
    private(set) var exchangeCount = 0

    /// Creates a server without sockets.
    init(in loop: EventLoop, delegate: any HTTPServerDelegate) throws(SystemError) {
        self.loop = loop
        self.delegate = delegate
        var settings = http_server_settings(
            context: Unmanaged.passUnretained(self).toOpaque(), handle: handleRequest, completed: completeRequest,
            connection: noticeConnection, connections: UInt32(HTTPServer.maxConnections),
            timeout: HTTPServer.stallLimit, memory: HTTPServer.connectionMemory)
        guard let server = http_start(&settings) else {
            throw SystemError(code: errno == 0 ? ENOMEM : errno, operation: "starting libmicrohttpd")
        }
        self.server = server
        work = try loop.makeDeferredWork { [unowned self] in run() }
        work?.priority = .beforeEvents
        source = try loop.watch(http_descriptor(server), for: .readable) { [unowned self] _ in run() }
    }

    /// Accepts the connections of a socket from now on.
    func accept(from listener: StreamListener) throws(SystemError) {
        sources.append(
            try loop.watch(listener.descriptor, for: .readable) { [unowned self, unowned listener] _ in
                while let socket = try? listener.accept() { add(socket) }
            })
        listeners.append(listener)
    }

    /// When ``tick(at:)`` must be called; nil if nothing waits. Scheduled work needs no timer.
    var deadline: Instant? {
        var milliseconds: UInt64 = 0
        let own = connections.values.compactMap(\.end).min()
        guard let server, work?.isScheduled != true, MHD_get_timeout(server, &milliseconds) == .YES else { return own }
        let library = loop.now + .milliseconds(Int64(clamping: milliseconds))
        return min(own ?? library, library)
    }

    /// Ends connections whose time is over.
    func tick(at now: Instant) {
        for (socket, connection) in connections where connection.end.map({ now >= $0 }) ?? false {
            shutdown(socket, Int32(SHUT_RDWR))
        }
        run()
    }

    /// Sends at the end of a turn what its event has brought.
    func endTurn() {
        if work?.isScheduled == true { run() }
    }

    private func add(_ socket: consuming FileDescriptor) {
        guard makePlace(for: Peer(of: socket.number)) else { return }
        let number = socket.release()
        linux_tcp_set_interactive(number)
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = getpeername(number, address, &length)
                // On failure the library closes the socket too.
                _ = MHD_add_connection(server, number, address, length)
            }
        }
        work?.isScheduled = true
    }

    /// Ends the oldest connection without a complete request if there are too many, of the peer or
    /// of all. Returns false if all have one.
    private func makePlace(for peer: Peer) -> Bool {
        let own = connections.filter { $0.value.peer == peer }
        let isCrowd = own.count >= (peer.isLocal ? HTTPServer.maxOfMachine : HTTPServer.maxOfPeer)
        guard isCrowd || connections.count >= HTTPServer.maxConnections else { return true }
        let waiting = (isCrowd ? own : connections).filter(\.value.isWaiting).compactMapValues(\.end)
        guard let oldest = waiting.min(by: { $0.value < $1.value }) else { return false }
        shutdown(oldest.key, Int32(SHUT_RDWR))
        run()
        return true
    }

    /// Lets the library work until it waits. More than some steps follow in the next turn.
    private func run() {
        guard let server else { return }
        work?.isScheduled = false
        MHD_run(server)
        var milliseconds: UInt64 = 0
        if MHD_get_timeout(server, &milliseconds) == .YES, milliseconds == 0 { work?.isScheduled = true }
    }

    fileprivate func notice(_ connection: OpaquePointer, isStart: Bool) {
        let socket = http_socket(connection)
        let end = HostClock.now + HTTPServer.requestLimit
        connections[socket] = isStart ? Connection(peer: Peer(of: socket), end: end) : nil
    }

    fileprivate func begin(
        _ request: HTTPRequest, on connection: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let exchange = HTTPExchange(request, on: connection) { [weak self] in self?.work?.isScheduled = true }
        exchangeCount += 1
        context.pointee = Unmanaged.passRetained(exchange).toOpaque()
        guard let refusal = delegate.refusal(of: exchange) else { return .YES }
        exchange.isDispatched = true
        exchange.answer(refusal)
        return exchange.proceed(in: loop)
    }

    fileprivate func proceed(with exchange: HTTPExchange) -> MHD_Result {
        if !exchange.isDispatched {
            exchange.isDispatched = true
            connections[exchange.socket]?.isWaiting = false
            delegate.answer(exchange)
            let end = HostClock.now + HTTPServer.answerLimit
            connections[exchange.socket]?.end = exchange.isStream ? nil : end
        }
        return exchange.proceed(in: loop)
    }

    fileprivate func complete(_ exchange: HTTPExchange) {
        exchangeCount -= 1
        exchange.close()
        connections[exchange.socket]?.isWaiting = true
        connections[exchange.socket]?.end = HostClock.now + HTTPServer.requestLimit
        delegate.ended(exchange)
    }
}

private func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
}

private func handleRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, path: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadCount: UnsafeMutablePointer<Int>?, state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let server = server(context), let connection, let path, let method, let uploadCount, let state else {
        return .NO
    }
    guard let known = state.pointee else {
        let request = HTTPRequest(
            method: String(cString: method), path: String(cString: path),
            query: values(of: connection, .GET_ARGUMENT_KIND), headers: values(of: connection, .HEADER_KIND))
        return server.begin(request, on: connection, state)
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(known).takeUnretainedValue()
    guard uploadCount.pointee > 0 else { return server.proceed(with: exchange) }
    let isAccepted = exchange.append(UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee))
    uploadCount.pointee = 0
    return isAccepted ? .YES : .NO
}

private func completeRequest(
    context: UnsafeMutableRawPointer?, _: OpaquePointer?, state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _: MHD_RequestTerminationCode
) {
    guard let server = server(context), let known = state?.pointee else { return }
    state?.pointee = nil
    server.complete(Unmanaged<HTTPExchange>.fromOpaque(known).takeRetainedValue())
}

private func noticeConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, _: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let server = server(context), let connection else { return }
    server.notice(connection, isStart: http_is_start(code))
}

/// The headers of a request, or the parameters of its query.
private func values(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(String, String)] {
    var found: [(String, String)] = []
    withUnsafeMutablePointer(to: &found) { found in
        _ = MHD_get_connection_values(
            connection, kind,
            { context, _, name, value in
                let found = context?.assumingMemoryBound(to: [(String, String)].self)
                if let name { found?.pointee.append((String(cString: name), value.map { String(cString: $0) } ?? "")) }
                return .YES
            }, found)
    }
    return found
}
