import CLinux
import CMicrohttpd
import Glibc
import ServiceRuntime
import SystemCalls

/// One request with its answer.
///
/// libmicrohttpd owns the connection. While an answer is being prepared, or a stream has nothing to
/// send, the connection is suspended; its end is then noticed by a source of the event loop.
final class HTTPExchange {
    /// The maximum length of the content of a request in bytes.
    static let maxBody = 65_536

    let request: HTTPRequest
    private(set) var body: [UInt8] = []
    /// The descriptor of the connection.
    let socket: Int32
    let peer: Peer
    /// Called after the connection has been resumed: the server must run.
    private let wake: () -> Void
    private let connection: OpaquePointer
    private var response: HTTPResponse?
    /// Whether it is answered by events, which have no end.
    var isStream: Bool { if case .events? = response?.content { true } else { false } }
    private var isSuspended = false
    private var hangup: IOSource?
    /// Whether the request was complete, so that it has been passed on.
    var isDispatched = false

    init(_ request: HTTPRequest, on connection: OpaquePointer, wake: @escaping () -> Void) {
        self.request = request
        self.connection = connection
        self.wake = wake
        socket = http_socket(connection)
        peer = Peer(of: socket)
    }

    /// Appends a part of the content. Returns false if it is too long.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= HTTPExchange.maxBody else { return false }
        body += bytes
        return true
    }

    /// Answers the request, at once or later.
    func answer(_ new: HTTPResponse) {
        guard response == nil else { return }
        response = new
        resume()
    }

    /// Sends the answer, or suspends the connection until there is one.
    func proceed(in loop: EventLoop) -> MHD_Result {
        guard let response else {
            suspend(in: loop)
            return .YES
        }
        return send(response, in: loop)
    }

    /// Continues with a connection that was suspended.
    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        wake()
    }

    /// Waits until ``resume()``. The end of the connection is noticed meanwhile.
    func suspend(in loop: EventLoop) {
        guard !isSuspended else { return }
        isSuspended = true
        MHD_suspend_connection(connection)
        guard hangup == nil else { return }
        hangup = try? loop.watch(socket, for: .peerClosed) { [weak self] _ in self?.end() }
    }

    /// Ends the connection: the answer is no longer needed.
    func end() {
        hangup?.remove()
        shutdown(socket, Int32(SHUT_RDWR))
        if case .events(let queue)? = response?.content { queue.end() }
        if response == nil { answer(.refusal(503, "the connection has ended")) } else { resume() }
    }

    /// Stops watching before the connection is closed.
    func close() {
        hangup?.remove()
        if case .events(let queue)? = response?.content { queue.end() }
    }

    private func send(_ response: HTTPResponse, in loop: EventLoop) -> MHD_Result {
        guard let answer = makeAnswer(response, in: loop) else { return .NO }
        defer { MHD_destroy_response(answer) }
        for (name, value) in HTTPResponse.standardHeaders + response.headers {
            MHD_add_response_header(answer, name, value)
        }
        return MHD_queue_response(connection, response.status, answer)
    }

    private func makeAnswer(_ response: HTTPResponse, in loop: EventLoop) -> OpaquePointer? {
        switch response.content {
        case .bytes(var bytes):
            return MHD_create_response_from_buffer(bytes.count, &bytes, .RESPMEM_MUST_COPY)
        case .file(let descriptor, let size): return MHD_create_response_from_fd64(size, descriptor)
        case .events(let queue):
            http_limit_queue(socket, EventQueue.kernelBytes)
            http_set_timeout(connection, EventQueue.stallLimit)
            queue.wake = { [weak self] in self?.resume() }
            queue.wait = { [weak self, unowned loop] in self?.suspend(in: loop) }
            return MHD_create_response_from_callback(
                UInt64.max, EventQueue.blockLength, readEvents, Unmanaged.passRetained(queue).toOpaque(), releaseEvents)
        }
    }
}

/// The other end of a connection.
struct Peer: Hashable {
    /// The address as text; empty for a Unix socket.
    let address: String

    init(of socket: Int32) {
        address = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress, http_peer(socket, start, text.count) else { return "" }
            return String(cString: start)
        }
    }

    var isLocal: Bool {
        address.isEmpty || address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}

extension IOEvents {
    /// The peer has closed its end (EPOLLRDHUP).
    fileprivate static let peerClosed = IOEvents(rawValue: EPOLLRDHUP.rawValue)
}

private func readEvents(
    context: UnsafeMutableRawPointer?, _: UInt64, to buffer: UnsafeMutablePointer<CChar>?, count: Int
) -> Int {
    guard let context, let buffer else { return HTTPEnd.withError }
    let queue = Unmanaged<EventQueue>.fromOpaque(context).takeUnretainedValue()
    return queue.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) ?? HTTPEnd.regular
}

private func releaseEvents(context: UnsafeMutableRawPointer?) {
    if let context { Unmanaged<EventQueue>.fromOpaque(context).release() }
}

/// What the reader of content returns at its end: casts in the header, which Swift cannot see.
private enum HTTPEnd {
    static let regular = -1
    static let withError = -2
}

/// The head of a request.
struct HTTPRequest: Equatable {
    /// `GET`, `HEAD` or another method.
    let method: String
    /// The path without the query, decoded.
    let path: String
    let query: [String: String]
    private let headers: [String: [String]]

    /// - Parameters:
    ///   - query: The last of several parameters with one name counts.
    ///   - headers: Names in any case.
    init(method: String, path: String, query: [(String, String)] = [], headers: [(String, String)] = []) {
        self.method = method
        self.path = path
        self.query = Dictionary(query) { $1 }
        self.headers = Dictionary(headers.map { ($0.lowercased(), [$1]) }) { $0 + $1 }
    }

    /// The value of a header; nil if it is missing, or present several times.
    func header(_ name: String) -> String? {
        let values = headers[name.lowercased()] ?? []
        return values.count == 1 ? values[0] : nil
    }

    /// Whether a header is present, also several times.
    func has(_ name: String) -> Bool { headers[name.lowercased()] != nil }
}

/// The answer to a request.
struct HTTPResponse {
    /// Where the content comes from.
    enum Content {
        case bytes([UInt8])
        /// A file, which the answer closes.
        case file(descriptor: Int32, size: UInt64)
        /// Events until the viewer or the program ends.
        case events(EventQueue)
    }

    let status: UInt32
    var headers: [(name: String, value: String)]
    let content: Content

    init(_ status: UInt32, type: String, headers: [(name: String, value: String)] = [], _ content: Content) {
        self.status = status
        self.headers = [(name: "Content-Type", value: type)] + headers
        self.content = content
    }

    /// Data, which no cache keeps.
    static func data(_ bytes: [UInt8], status: UInt32 = 200, type: String = "application/json") -> HTTPResponse {
        HTTPResponse(status, type: type, headers: [(name: "Cache-Control", value: "no-store")], .bytes(bytes))
    }

    static func refusal(_ status: UInt32, _ reason: String) -> HTTPResponse {
        data(Array((reason + "\n").utf8), status: status, type: "text/plain; charset=utf-8")
    }

    /// The headers of every answer: the page runs no script of others, no other page shows it or
    /// reads its data, and no other server learns its address.
    static let standardHeaders: [(name: String, value: String)] = [
        (
            name: "Content-Security-Policy",
            value: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        ), (name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "same-origin"),
        (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
    ]
}
