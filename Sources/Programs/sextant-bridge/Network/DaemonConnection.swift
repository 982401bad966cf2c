import CLinux
import SystemCalls
import Systemd
import Varlink

/// A connection for calls of one method of the daemon, which are sent without waiting for their
/// replies.
final class DaemonConnection<Parameters: Sendable, Output: Sendable> {
    /// What the owner must know.
    enum Event {
        /// A reply to the first call without one.
        case reply(Output)
        /// The daemon does not carry out the first call without a reply, for this reason.
        case refused(VarlinkError)
        /// The connection is over, for this reason. The owner releases this object.
        case ended(String)
    }

    private let method: Method<Parameters, Output>
    private let loop: EventLoop
    private let handler: (Event) -> Void
    private var framer = MessageFramer()
    private var connection: PeerConnection?
    /// The number of calls without a reply.
    private(set) var pending = 0

    /// Connects.
    ///
    /// - Parameters:
    ///   - path: The path of the daemon's socket.
    ///   - handler: Captures its owner unowned or weakly.
    init(
        _ method: Method<Parameters, Output>, at path: String, in loop: EventLoop, handler: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.method = method
        self.loop = loop
        self.handler = handler
        let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
        let number = socket.number
        try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
        connection = try PeerConnection(socket, in: loop, closesStalled: false, keepsHalfClosed: false) {
            [weak self] event in
            switch event {
            case .received(let bytes): self?.receive(bytes)
            case .drained: break
            case .ended: self?.handler(.ended("the service has ended the connection"))
            }
        }
    }

    /// Calls the method.
    ///
    /// - Throws: `EncodingFailure` if the parameters have no form in JSON.
    func call(_ parameters: Parameters, mode: Call.Mode = .single) throws(EncodingFailure) {
        let bytes = try method.call(with: parameters, mode: mode).encoded()
        pending += 1
        send(bytes)
    }

    /// Sends bytes in the protocol that follows an upgrade.
    func send(_ bytes: [UInt8]) { connection?.send(bytes, at: loop.now) }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        // After an upgrade the daemon has nothing to say.
        guard pending > 0 else { return }
        framer.append(Array(bytes))
        do {
            while pending > 0, let message = try framer.next() {
                pending -= 1
                let reply = try Reply(parsing: message)
                if let failure = reply.failure {
                    handler(.refused(failure))
                } else {
                    handler(.reply(try reply.parameters(of: method)))
                }
            }
        } catch {
            connection = nil
            handler(.ended("\(error)"))
        }
    }
}
