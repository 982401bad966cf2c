import Bridges
import Chronology
import ServiceRuntime
import Settings

/// A TCP server that sends sentences, such as a multiplexer or gpsd. The connection is opened again
/// when it ends or is silent.
final class TCPClientSource: InletSource {
    /// How long a server may send nothing.
    private static let silenceLimit = Instant.Span.seconds(60)
    /// What gpsd needs before it sends sentences.
    static let gpsdRequest = Array("?WATCH={\"enable\":true,\"nmea\":true};\n".utf8)

    private let host: HostPort
    private let request: [UInt8]
    private let loop: EventLoop
    private let handler: (InletEvent) -> Void
    private var connection: HostConnection?
    /// Whether a connection is open, or is being opened.
    private var isOpen = false
    private var backoff = SourceBackoff()
    private(set) var deadline: Instant?

    /// Connects at once.
    ///
    /// - Parameters:
    ///   - request: What is sent first; may be empty.
    ///   - handler: Captures its owner unowned or weakly.
    init(_ host: HostPort, request: [UInt8], in loop: EventLoop, handler: @escaping (InletEvent) -> Void) {
        self.host = host
        self.request = request
        self.loop = loop
        self.handler = handler
        deadline = loop.now
        connection = HostConnection(to: host, in: loop) { [weak self] in self?.handle($0) }
    }

    func tick(at now: Instant) {
        guard let deadline, now >= deadline, let connection else { return }
        if isOpen {
            connection.close()
            return fail("the server is silent")
        }
        isOpen = true
        self.deadline = now + TCPClientSource.silenceLimit
        connection.open()
    }

    private func handle(_ event: HostConnection.Event) {
        switch event {
        case .started: if !request.isEmpty { connection?.send(request) }
        case .received(let bytes): receive(bytes)
        case .failed(let reason): fail(reason)
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        deadline = loop.now + TCPClientSource.silenceLimit
        handler(.received(bytes, .only, isPacket: false))
    }

    func recordSentences(_ count: Int) {
        backoff.recordSentences(count)
        if backoff.isWorking { connection?.recordSuccess() }
    }

    private func fail(_ problem: String) {
        isOpen = false
        deadline = loop.now + backoff.end()
        handler(.ended(.only))
        handler(.problem("\(host): \(problem)"))
    }
}
