import Bridges
import Chronology
import ServiceRuntime
import SystemCalls

/// A TCP port to which programs send sentences.
final class TCPServerSource: InletSource {
    private var table: ConnectionTable?
    let deadline: Instant? = nil

    /// Accepts connections from now on.
    ///
    /// - Parameter handler: Captures its owner unowned or weakly.
    init(_ listeners: [StreamListener], in loop: EventLoop, handler: @escaping (InletEvent) -> Void) throws(SystemError)
    {
        let table = ConnectionTable(in: loop) { client, event in
            switch event {
            case .connected, .drained: break
            case .received(let bytes): handler(.received(bytes, .client(client), isPacket: false))
            case .ended: handler(.ended(.client(client)))
            }
        }
        for listener in listeners { try table.accept(from: listener) }
        self.table = table
    }

    func tick(at now: Instant) {}
}
