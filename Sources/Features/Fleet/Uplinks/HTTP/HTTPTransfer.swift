import CCurl
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// One HTTP request at a time, by libcurl in the event loop. The connection is kept for the next
/// request.
final class HTTPTransfer {
    /// The result of a request.
    enum Result {
        case answered(status: Int, body: [UInt8])
        /// There is no answer.
        case failed(reason: String, isRefusal: Bool)
    }

    /// The longest answer. A longer one is an error: a server could otherwise keep the device busy.
    private static let maxAnswer = 65_536

    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer?
    private let handle: UnsafeMutableRawPointer?
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var sources: [Int32: IOSource] = [:]
    private var body: [UInt8] = []
    private var answer: [UInt8] = []
    private var completion: ((Result) -> Void)?
    /// When ``tick(at:)`` must be called; nil if libcurl set no time.
    private(set) var deadline: Instant?

    init(credentials: Credentials?, loop: EventLoop) throws(FleetError) {
        if let problem = ccurl_load() {
            throw .settings("loading libcurl: \(String(cString: problem)); install the package libcurl4")
        }
        self.loop = loop
        multi = ccurl_new_multi()
        handle = ccurl_new()
        guard multi != nil, handle != nil else { throw .settings("libcurl has no memory") }
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_socket_function(
            multi,
            { _, descriptor, what, context, _ in
                HTTPTransfer.of(context)?.watch(descriptor, what)
                return 0
            }, context)
        ccurl_set_timer_function(
            multi,
            { _, milliseconds, context in
                HTTPTransfer.of(context)?.setTimer(milliseconds)
                return 0
            }, context)
        ccurl_set_writer(
            handle,
            { bytes, size, count, context in
                HTTPTransfer.of(context)?.append(bytes, size * count) ?? 0
            }, context)
        // Without signals, the lookup of a name is done by libcurl's own resolver if it has one.
        ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(handle, CURLOPT_TIMEOUT, 30)
        ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 15)
        ccurl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        if let path = credentials?.authorities { ccurl_set_text(handle, CURLOPT_CAINFO, path) }
        if let path = credentials?.certificate { ccurl_set_text(handle, CURLOPT_SSLCERT, path) }
        if let path = credentials?.key { ccurl_set_text(handle, CURLOPT_SSLKEY, path) }
    }

    deinit {
        if completion != nil { ccurl_remove(multi, handle) }
        sources = [:]
        ccurl_free(handle)
        ccurl_free_multi(multi)
        ccurl_free_list(headers)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer? {
        context.map { Unmanaged<HTTPTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a request has no result yet.
    var isBusy: Bool { completion != nil }

    /// Sends a POST request with these lines in its header, or a GET request without a body.
    func post(_ bytes: [UInt8]?, to url: String, header: [String], completion: @escaping (Result) -> Void) {
        ccurl_free_list(headers)
        headers = ccurl_append(nil, "Expect:")
        for line in header { headers = ccurl_append(headers, line) }
        body = bytes ?? []
        answer = []
        self.completion = completion
        ccurl_set_text(handle, CURLOPT_URL, url)
        ccurl_set_headers(handle, headers)
        ccurl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count)
        body.withUnsafeBufferPointer { _ = ccurl_set_copied_body(handle, $0.baseAddress) }
        // The body selects POST.
        if bytes == nil { ccurl_set_number(handle, CURLOPT_HTTPGET, 1) }
        ccurl_add(multi, handle)
    }

    /// Acts if libcurl's time has come.
    func tick(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        self.deadline = nil
        act(on: CURL_SOCKET_TIMEOUT, 0)
    }

    private func act(on descriptor: Int32, _ events: Int32) {
        var running: Int32 = 0
        ccurl_act(multi, descriptor, events, &running)
        let code = ccurl_take_result(multi)
        guard code >= 0, let completion else { return }
        self.completion = nil
        var status = 0
        ccurl_get_status(handle, &status)
        ccurl_remove(multi, handle)
        guard code == 0 else {
            let text = ccurl_error_text(CURLcode(UInt32(code))).map { String(cString: $0) } ?? "error \(code)"
            // CURLE_SSL_CONNECT_ERROR is also the result of a network that resets the connection.
            let refusals = [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM]
            return completion(.failed(reason: text, isRefusal: refusals.contains { Int32($0.rawValue) == code }))
        }
        completion(.answered(status: status, body: answer))
    }

    private func append(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        // Another number than `count` ends the transfer.
        guard let bytes, count <= HTTPTransfer.maxAnswer - answer.count else { return -1 }
        answer += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
    }

    private func setTimer(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : HostClock.now + .milliseconds(Int64(milliseconds))
    }

    private func watch(_ descriptor: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            sources[descriptor] = nil
            return
        }
        var events: IOEvents = []
        if what & CURL_POLL_IN != 0 { events.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
        if let source = sources[descriptor] {
            try? source.setEvents(events)
            return
        }
        sources[descriptor] = try? loop.watch(descriptor, for: events) { [weak self] ready in
            var flags: Int32 = 0
            if !ready.isDisjoint(with: [.readable, .hangup]) { flags |= CURL_CSELECT_IN }
            if ready.contains(.writable) { flags |= CURL_CSELECT_OUT }
            if ready.contains(.failure) { flags |= CURL_CSELECT_ERR }
            self?.act(on: descriptor, flags)
        }
    }
}
