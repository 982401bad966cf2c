import ServiceRuntime
import Settings
import SystemCalls

/// A connection that is opened again and again to one host.
protocol RepeatedConnection: AnyObject {
    /// Opens a new connection. An open one is closed.
    func open()
    /// Closes the connection, or ends the attempt to open one.
    func close()
    /// Records that the connection is useful: the next attempt uses the same address.
    func recordSuccess()
    /// Sends bytes; nothing without a connection.
    func send(_ bytes: [UInt8])
}

/// A TCP connection to a host. Its name is looked up each time, without waiting; further attempts
/// try the next one of its addresses.
final class HostConnection: RepeatedConnection {
    /// What the owner must know.
    enum Event {
        /// An address is known: what is sent from now on is sent when the connection is open.
        case started
        /// The host has sent these bytes.
        case received(ArraySlice<UInt8>)
        /// There is no connection any more, for this reason.
        case failed(String)
    }

    private enum State {
        case closed
        case lookingUp(HostLookup)
        case connected(PeerConnection)
    }

    let host: HostPort
    private let loop: EventLoop
    private let handler: (Event) -> Void
    private var state = State.closed
    /// The number of attempts that have failed since the last one that was useful.
    private var failures = 0

    /// Creates an object without a connection.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(to host: HostPort, in loop: EventLoop, handler: @escaping (Event) -> Void) {
        self.host = host
        self.loop = loop
        self.handler = handler
    }

    func open() {
        close()
        if let address = NetworkAddress(numeric: host) { return connect(to: address) }
        do throws(SystemError) {
            state = .lookingUp(
                try HostLookup(host.host, in: loop) { [weak self] result in
                    guard let self else { return }
                    switch result {
                    case .success(let addresses): connect(toOneOf: addresses)
                    case .failure(let error): fail("\(error)")
                    }
                })
        } catch {
            fail("\(error)")
        }
    }

    func close() { state = .closed }

    func recordSuccess() { failures = 0 }

    func send(_ bytes: [UInt8]) {
        if case .connected(let connection) = state { connection.send(bytes, at: loop.now) }
    }

    private func connect(toOneOf addresses: [String]) {
        let host = HostPort(host: addresses[failures % addresses.count], port: host.port)
        guard let address = NetworkAddress(numeric: host) else { return fail("\(host.host) is not an address") }
        connect(to: address)
    }

    private func connect(to address: NetworkAddress) {
        do throws(SystemError) {
            let socket = try address.connect()
            state = .connected(
                try PeerConnection(socket, in: loop, closesStalled: false, keepsHalfClosed: false) {
                    [weak self] event in
                    guard let self else { return }
                    switch event {
                    case .received(let bytes): handler(.received(bytes))
                    case .drained: break
                    case .ended(let error): fail(error?.reason ?? "the host has ended the connection")
                    }
                })
            handler(.started)
        } catch {
            fail("connecting: \(error.reason)")
        }
    }

    private func fail(_ reason: String) {
        state = .closed
        failures = failures == .max ? 0 : failures + 1
        handler(.failed(reason))
    }
}
