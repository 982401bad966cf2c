import CMosquitto
import Chronology
import Glibc
import ServiceRuntime
import SystemCalls

/// One connection to an MQTT broker, by libmosquitto in the event loop, without a thread.
///
/// The lookup of the broker's name blocks the loop until the resolver answers: five seconds per
/// server by default, see resolv.conf(5).
package final class MQTTConnection {
    /// What happens in the connection.
    package enum Event {
        /// The broker accepts the device.
        case connected
        /// The broker has acknowledged a message.
        case delivered(Int32)
        /// A message of the broker.
        case message(topic: String, bytes: [UInt8])
        /// A message of the broker that is longer than ``Settings/maxLength``.
        case tooLong(topic: String)
        /// The connection has ended; the object is used up.
        case ended(reason: String, isRefusal: Bool)
    }

    /// How the connection is made.
    package struct Settings {
        /// The name or the address of the broker.
        package var host: String
        package var port: Int
        /// The name of the session, which the broker keeps over connections.
        package var clientID: String
        /// The name of the user, which is sent only with a password; nil: none.
        package var user: String?
        /// Whether the connection uses TLS.
        package var isEncrypted: Bool
        /// The topic on which the broker publishes the will.
        package var willTopic: String
        /// The message that the broker publishes when the connection is lost, or the program ends.
        package var will: [UInt8]
        /// Whether the broker keeps the will for those who subscribe later.
        package var isWillRetained: Bool
        /// Whether the broker keeps messages for the device while it is not connected.
        package var isSessionKept: Bool
        /// The maximum length of a message of the broker in bytes; longer ones are not copied.
        package var maxLength: Int
        /// The time without messages after which one shows that the device works.
        package var keepalive: Instant.Span

        package init(
            host: String, port: Int, clientID: String, user: String?, isEncrypted: Bool, willTopic: String,
            will: [UInt8], isWillRetained: Bool, isSessionKept: Bool = true, maxLength: Int = 65_536,
            keepalive: Instant.Span
        ) {
            self.host = host
            self.port = port
            self.clientID = clientID
            self.user = user
            self.isEncrypted = isEncrypted
            self.willTopic = willTopic
            self.will = will
            self.isWillRetained = isWillRetained
            self.isSessionKept = isSessionKept
            self.maxLength = maxLength
            self.keepalive = keepalive
        }
    }

    /// The time for the connection, TLS and the broker's answer.
    private static let connectTimeout = Instant.Span.seconds(30)

    /// The folder of the system's authorities on Debian (update-ca-certificates(8)).
    private static let systemAuthorities = "/etc/ssl/certs"

    private let loop: EventLoop
    private let keepalive: Instant.Span
    private let maxLength: Int
    private let handler: (Event) -> Void
    private var handle: OpaquePointer?
    private var source: IOSource?
    private var lastTraffic: Instant
    package private(set) var isConnected = false
    /// Whether the connection of TCP is made, or has failed.
    private var isOpen = false
    private var failure: Int32 = 0
    /// The error of the system call that failed, for MOSQ_ERR_ERRNO.
    private var failureError: Int32 = 0
    private var refusal: Int32 = 0
    /// The reason that OpenSSL reports; nil without one, as when the network fails.
    private var tlsProblem: TLSProblem?
    private var pending: [Event] = []

    /// Initialises the library, once per process.
    private static let isLibraryReady = mosquitto_lib_init() == 0

    /// Begins to connect. The handler is called later only, never from here.
    package init(
        _ settings: Settings, credentials: Credentials?, in loop: EventLoop, handler: @escaping (Event) -> Void
    ) throws(FleetError) {
        self.loop = loop
        self.handler = handler
        (keepalive, maxLength) = (settings.keepalive, settings.maxLength)
        lastTraffic = loop.now
        guard MQTTConnection.isLibraryReady else { throw .settings("libmosquitto cannot be initialised") }
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle = mosquitto_new(settings.clientID, !settings.isSessionKept, context)
        guard handle != nil else { throw .settings("libmosquitto refuses the client \(settings.clientID)") }
        setCallbacks()
        try check(
            mosquitto_will_set(
                handle, settings.willTopic, Int32(settings.will.count), settings.will, 1, settings.isWillRetained),
            "setting the will")
        if let user = settings.user, let password = credentials?.password {
            try check(mosquitto_username_pw_set(handle, user, password), "setting the password")
        }
        if settings.isEncrypted { try setTLS(credentials) }
        errno = 0
        let code = mosquitto_connect_async(
            handle, settings.host, Int32(settings.port), Int32(keepalive.seconds))
        failureError = errno
        if code == MOSQ_ERR_SUCCESS.rawValue || code == MOSQ_ERR_CONN_PENDING.rawValue {
            watch()
        } else {
            failure = code
        }
    }

    deinit {
        source = nil
        mosquitto_destroy(handle)
    }

    private func setTLS(_ credentials: Credentials?) throws(FleetError) {
        // libmosquitto 2.0 refuses a call without a file and without a folder.
        let systemAuthorities = credentials?.authorities == nil ? MQTTConnection.systemAuthorities : nil
        if credentials?.authorities == nil {
            try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1), "using the system's certificates")
        }
        try check(
            mosquitto_tls_set(
                handle, credentials?.authorities, systemAuthorities, credentials?.certificate, credentials?.key, nil),
            "reading ca.pem, cert.pem and key.pem")
    }

    private func check(_ code: Int32, _ action: String) throws(FleetError) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw .settings("\(action): \(String(cString: mosquitto_strerror(code)))")
        }
    }

    private func setCallbacks() {
        mosquitto_connect_callback_set(handle) { _, context, code in
            MQTTConnection.of(context)?.answered(code)
        }
        mosquitto_log_callback_set(handle) { _, context, _, line in
            guard let line, let problem = TLSProblem(logLine: String(cString: line)) else { return }
            MQTTConnection.of(context)?.tlsProblem = problem
        }
        mosquitto_publish_callback_set(handle) { _, context, message in
            MQTTConnection.of(context)?.pending.append(.delivered(message))
        }
        mosquitto_message_callback_set(handle) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            MQTTConnection.of(context)?.receive(message, on: String(cString: topic))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection? {
        context.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receive(_ message: mosquitto_message, on topic: String) {
        let length = Int(max(message.payloadlen, 0))
        guard length <= maxLength else { return pending.append(.tooLong(topic: topic)) }
        let bytes = UnsafeRawBufferPointer(start: message.payload, count: length)
        pending.append(.message(topic: topic, bytes: message.payload == nil ? [] : Array(bytes)))
    }

    private func answered(_ code: Int32) {
        if code == 0 {
            isConnected = true
            pending.append(.connected)
        } else {
            refusal = code
        }
    }
}

extension MQTTConnection {
    /// When ``tick(at:)`` must be called.
    package var deadline: Instant {
        if failure != 0 { return loop.now }
        return lastTraffic + (isConnected ? keepalive : MQTTConnection.connectTimeout)
    }

    /// Publishes a message. Returns its identifier; nil if there is no connection.
    ///
    /// - Parameter quality: The quality of service: 1, or 0 for no acknowledgement.
    func publish(_ bytes: [UInt8], to topic: String, isRetained: Bool = false, quality: Int32 = 1) -> Int32? {
        guard isConnected else { return nil }
        var message: Int32 = 0
        let code = mosquitto_publish(handle, &message, topic, Int32(clamping: bytes.count), bytes, quality, isRetained)
        lastTraffic = loop.now
        setEvents()
        return code == MOSQ_ERR_SUCCESS.rawValue ? message : nil
    }

    package func subscribe(to topic: String) {
        _ = mosquitto_subscribe(handle, nil, topic, 1)
        setEvents()
    }

    /// Keeps the connection alive, or ends it if the broker does not answer.
    package func tick(at now: Instant) {
        guard failure == 0 else { return finish() }
        guard now >= deadline else { return }
        guard isConnected else {
            failure = MOSQ_ERR_TIMEOUT.rawValue
            return finish()
        }
        lastTraffic = now
        record { mosquitto_loop_misc($0) }
        finish()
    }

    private func watch() {
        let descriptor = mosquitto_socket(handle)
        guard descriptor >= 0 else {
            failure = MOSQ_ERR_NO_CONN.rawValue
            return
        }
        source = try? loop.watch(descriptor, for: [.readable, .writable]) { [weak self] events in
            self?.process(events)
        }
        if source == nil { failure = MOSQ_ERR_NO_CONN.rawValue }
    }

    private func process(_ events: IOEvents) {
        isOpen = true
        if !events.isDisjoint(with: [.readable, .hangup, .failure]) { record { mosquitto_loop_read($0, 1) } }
        if failure == 0, events.contains(.writable) { record { mosquitto_loop_write($0, 1) } }
        finish()
    }

    private func record(_ call: (OpaquePointer?) -> Int32) {
        // The library reports MOSQ_ERR_ERRNO also where no system call has failed.
        errno = 0
        let code = call(handle)
        failureError = errno
        if code != MOSQ_ERR_SUCCESS.rawValue, code != MOSQ_ERR_CONN_PENDING.rawValue { failure = code }
    }

    /// Publishes the events of the callbacks, in which libmosquitto must not be called.
    private func finish() {
        setEvents()
        let events = pending
        pending = []
        for event in events { handler(event) }
        if mosquitto_socket(handle) < 0, failure == 0 { failure = MOSQ_ERR_CONN_LOST.rawValue }
        guard failure != 0 else { return }
        isConnected = false
        source = nil
        let text = refusal != 0 ? mosquitto_connack_string(refusal) : failureText
        let reason = text.map { String(cString: $0) } ?? "error \(failure)"
        let isTLS = failure == MOSQ_ERR_TLS.rawValue || failure == MOSQ_ERR_TLS_HANDSHAKE.rawValue
        guard refusal == 0, isTLS else { return handler(.ended(reason: reason, isRefusal: refusal != 0)) }
        guard let tlsProblem else {
            return handler(.ended(reason: "the connection ended during a TLS exchange", isRefusal: false))
        }
        handler(.ended(reason: tlsProblem.description, isRefusal: tlsProblem.isRefusal))
    }

    private var failureText: UnsafePointer<CChar>? {
        guard failure == MOSQ_ERR_ERRNO.rawValue else { return mosquitto_strerror(failure) }
        return failureError == 0
            ? mosquitto_strerror(MOSQ_ERR_CONN_LOST.rawValue) : UnsafePointer(strerror(failureError))
    }

    private func setEvents() {
        // A socket that is not connected yet becomes writable when it is.
        let wantsWrite = !isOpen || mosquitto_want_write(handle)
        try? source?.setEvents(wantsWrite ? [.readable, .writable] : .readable)
    }
}

/// Why OpenSSL ended a connection, read from a line that libmosquitto logs.
package struct TLSProblem: Sendable, Equatable, CustomStringConvertible {
    /// The reason, such as "certificate verify failed".
    package var reason: String

    /// Reads a line such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify
    /// failed` (net_mosq.c of libmosquitto 2.0, ERR_error_string(3)); nil for other lines.
    package init?(logLine line: String) {
        guard line.hasPrefix("OpenSSL Error["), let colon = line.lastIndex(of: ":") else { return nil }
        let text = line[line.index(after: colon)...].drop { $0 == " " }
        reason = text.isEmpty ? "unknown" : String(text)
    }

    /// Whether another attempt seldom helps, as after a certificate that cannot be verified. A
    /// server or a network that ends the connection early is no refusal.
    package var isRefusal: Bool { !reason.hasPrefix("unexpected eof") }

    /// The reason, for messages.
    package var description: String { "TLS: \(reason)" }
}
