import Bridges
import Chronology
import SystemCalls
import Systemd

/// A TCP server that sends sentences, such as a multiplexer or gpsd. The connection is opened again
/// when it ends or is silent.
final class TCPClientSource: InletSource {
    /// The times between attempts to connect.
    private static let firstDelay = Instant.Span.seconds(1)
    private static let maxDelay = Instant.Span.seconds(30)
    /// How long a server may send nothing.
    private static let silenceLimit = Instant.Span.seconds(60)
    /// What gpsd needs before it sends sentences.
    static let gpsdRequest = Array("?WATCH={\"enable\":true,\"nmea\":true};\n".utf8)

    private let address: NetworkAddress
    private let request: [UInt8]
    private let loop: EventLoop
    private let handler: (InletEvent) -> Void
    private var connection: PeerConnection?
    private var backoff = ExponentialBackoff()
    private(set) var deadline: Instant?

    /// Connects at once.
    ///
    /// - Parameters:
    ///   - request: What is sent first; may be empty.
    ///   - handler: Captures its owner unowned or weakly.
    init(_ address: NetworkAddress, request: [UInt8], in loop: EventLoop, handler: @escaping (InletEvent) -> Void) {
        self.address = address
        self.request = request
        self.loop = loop
        self.handler = handler
        deadline = loop.now
    }

    func tick(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        if connection != nil { return fail("\(address.text) is silent") }
        do throws(SystemError) {
            let new = try PeerConnection(
                try address.connect(), in: loop, closesStalled: false, keepsHalfClosed: false
            ) { [weak self] event in
                switch event {
                case .received(let bytes): self?.receive(bytes)
                case .ended: self?.fail("\(self?.address.text ?? "") has ended the connection or refuses it")
                }
            }
            connection = new
            self.deadline = now + TCPClientSource.silenceLimit
            if !request.isEmpty { new.send(request, at: now) }
        } catch {
            fail("\(error)")
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        backoff.reset()
        deadline = loop.now + TCPClientSource.silenceLimit
        handler(.received(bytes, .only, isPacket: false))
    }

    private func fail(_ problem: String) {
        connection = nil
        deadline = loop.now + backoff.next(from: TCPClientSource.firstDelay, max: TCPClientSource.maxDelay)
        handler(.ended(.only))
        handler(.problem(problem))
    }
}
