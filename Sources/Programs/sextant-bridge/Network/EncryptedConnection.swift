import CCurl
import ServiceRuntime
import Settings
import SystemCalls

/// A connection over TLS to a host, by libcurl, which checks the certificate and the name.
///
/// Opening it blocks for at most ``openTimeout``. The role that uses it has a process of its own,
/// which does nothing else without the connection.
final class EncryptedConnection: RepeatedConnection {
    /// The longest time for the name, the connection and the handshake, in seconds. It is below the
    /// time that systemd waits for a service to stop.
    private static let openTimeout = 10
    /// The number of reads after which other work gets its turn.
    private static let readsPerTurn = 32
    /// The most bytes that wait to be sent. A host that reads nothing loses the connection.
    private static let maxPending = 65_536

    private let host: HostPort
    /// The file with the certificates of authorities; nil for those of the system.
    private let authorities: String?
    private let loop: EventLoop
    private let handler: (HostConnection.Event) -> Void
    private var handle: UnsafeMutableRawPointer?
    private var source: IOSource?
    private var pending: [UInt8] = []

    /// Creates an object without a connection.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(
        to host: HostPort, authorities: String?, in loop: EventLoop,
        handler: @escaping (HostConnection.Event) -> Void
    ) {
        self.host = host
        self.authorities = authorities
        self.loop = loop
        self.handler = handler
    }

    deinit { close() }

    func open() {
        close()
        if let problem = ccurl_load() {
            return fail("loading libcurl: \(String(cString: problem)); install the package libcurl4")
        }
        handle = ccurl_new()
        guard handle != nil else { return fail("libcurl has no memory") }
        ccurl_set_text(handle, CURLOPT_URL, "https://\(host)")
        ccurl_set_text(handle, CURLOPT_PROXY, "")
        ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, EncryptedConnection.openTimeout)
        // Otherwise the end of a connection waits for a name server that does not answer.
        ccurl_set_number(handle, CURLOPT_QUICK_EXIT, 1)
        // A caster speaks HTTP 1; without this the handshake could agree on HTTP 2.
        ccurl_set_number(handle, CURLOPT_SSL_ENABLE_ALPN, 0)
        if let authorities { ccurl_set_text(handle, CURLOPT_CAINFO, authorities) }
        var socket: Int32 = -1
        let code = ccurl_connect(handle, &socket)
        guard code == CURLE_OK else { return fail("connecting over TLS", code) }
        do throws(SystemError) {
            source = try loop.watch(socket, for: .readable) { [weak self] _ in self?.transfer() }
        } catch {
            return fail("\(error)")
        }
        handler(.started)
    }

    func close() {
        source = nil
        pending = []
        if let handle { ccurl_free(handle) }
        handle = nil
    }

    /// Every attempt looks the name up and tries all its addresses.
    func recordSuccess() {}

    func send(_ bytes: [UInt8]) {
        guard source != nil else { return }
        guard pending.count + bytes.count <= EncryptedConnection.maxPending else {
            return fail("the host reads nothing")
        }
        pending += bytes
        sendPending()
    }

    /// Reads and writes until libcurl has to wait. A record of TLS can end between two wakeups, or
    /// contain more than one read takes.
    private func transfer() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<EncryptedConnection.readsPerTurn where source != nil {
            var count = 0
            switch ccurl_receive(handle, &buffer, buffer.count, &count) {
            case CURLE_OK where count > 0: handler(.received(buffer[..<count]))
            case CURLE_OK: return fail("the host has ended the connection")
            case CURLE_AGAIN: return sendPending()
            case let code: return fail("receiving", code)
            }
        }
    }

    private func sendPending() {
        while !pending.isEmpty, source != nil {
            var count = 0
            switch ccurl_send(handle, pending, pending.count, &count) {
            case CURLE_OK: pending.removeFirst(count)
            case CURLE_AGAIN:
                try? source?.setEvents([.readable, .writable])
                return
            case let code: return fail("sending", code)
            }
        }
        try? source?.setEvents(.readable)
    }

    private func fail(_ what: String, _ code: CURLcode) {
        fail("\(what): \(ccurl_error_text(code).map { String(cString: $0) } ?? "error \(code.rawValue)")")
    }

    private func fail(_ reason: String) {
        close()
        handler(.failed(reason))
    }
}
