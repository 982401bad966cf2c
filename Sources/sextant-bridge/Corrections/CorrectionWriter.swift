import Bridges
import CLinux
import Chronology
import RTCM
import SystemCalls
import Systemd
import Varlink
import Wire

/// Writes frames of corrections to a receiver by calls of the daemon
/// (`io.sextant.Receiver.WriteCorrections`). Frames that cannot be passed on at once are dropped: a
/// receiver has no use for old ones.
final class CorrectionWriter {
    /// The maximum number of calls without a reply.
    private static let maxPending = 4
    /// The time between attempts to connect.
    private static let connectInterval = Instant.Span.seconds(1)

    private let path: String
    private let source: String
    private let receiver: String?
    private let loop: EventLoop
    private let log: BridgeLog
    private var connection: PeerConnection?
    private var framer = MessageFramer()
    private var pending = 0
    private var lastAttempt: Instant?
    private var lastProblem: String?

    /// Creates a writer without a connection.
    ///
    /// - Parameters:
    ///   - source: Where the corrections come from, for display.
    ///   - receiver: The name of the receiver; nil for the primary one.
    ///   - path: The path of the daemon's socket.
    init(source: String, receiver: String?, to path: String, in loop: EventLoop, log: BridgeLog) {
        self.source = source
        self.receiver = receiver
        self.path = path
        self.loop = loop
        self.log = log
    }

    /// Passes frames on.
    func write(_ frames: [RTCMFrame]) {
        let step = WriteCorrectionsParameters.maxFrames
        for start in stride(from: 0, to: frames.count, by: step) {
            send(frames[start..<min(start + step, frames.count)])
        }
    }

    private func send(_ frames: ArraySlice<RTCMFrame>) {
        connect()
        guard let connection, pending < CorrectionWriter.maxPending else { return }
        var parameters: [String: JSONValue] = [
            "frames": .array(frames.map { .string(Base64.encode($0.bytes)) }), "source": .string(source),
        ]
        parameters["receiver"] = receiver.map { .string($0) }
        pending += 1
        connection.send(
            Call(method: ReceiverMethods.writeCorrections.name, parameters: parameters).encoded(), at: loop.now)
    }

    private func connect() {
        guard connection == nil, lastAttempt.map({ loop.now - $0 >= CorrectionWriter.connectInterval }) ?? true else {
            return
        }
        lastAttempt = loop.now
        (framer, pending) = (MessageFramer(), 0)
        do throws(SystemError) {
            let socket = FileDescriptor(owning: try systemCall("creating a socket") { linux_unix_stream_socket() })
            let number = socket.number
            try systemCall("connecting to \(path)") { linux_unix_connect(number, path, path.utf8.count) }
            connection = try PeerConnection(socket, in: loop, closesStalled: false, keepsHalfClosed: false) {
                [weak self] event in
                switch event {
                case .received(let bytes): self?.receive(bytes)
                case .ended: self?.connection = nil
                }
            }
        } catch {
            report("\(error)")
        }
    }

    private func receive(_ bytes: ArraySlice<UInt8>) {
        framer.append(Array(bytes))
        do {
            while let message = try framer.next() {
                pending = max(0, pending - 1)
                let reply = try Reply(parsing: message)
                if let failure = reply.failure {
                    report("the service does not accept the corrections: \(failure)")
                } else {
                    report(try reply.parameters(of: ReceiverMethods.writeCorrections).detail)
                }
            }
        } catch {
            connection = nil
            report("\(error)")
        }
    }

    /// Logs each problem once; nil for a write without one.
    private func report(_ problem: String?) {
        if let problem, problem != lastProblem {
            log.write("corrections are not written: \(problem)", priority: .warning)
        }
        lastProblem = problem
    }
}
