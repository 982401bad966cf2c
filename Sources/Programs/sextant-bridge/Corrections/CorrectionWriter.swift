import Chronology
import NMEA
import ServiceRuntime
import SextantAPI
import SystemCalls
import Varlink

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
    private let log: ProgramLog
    private var client: LoopClient?
    private var lastAttempt: Instant?
    private var problem = RepeatedProblem()

    /// Creates a writer without a connection.
    ///
    /// - Parameters:
    ///   - source: Where the corrections come from, for display.
    ///   - receiver: The name of the receiver; nil for the primary one.
    ///   - path: The path of the daemon's socket.
    init(source: String, receiver: String?, to path: String, in loop: EventLoop, log: ProgramLog) {
        self.source = source
        self.receiver = receiver
        self.path = path
        self.loop = loop
        self.log = log
    }

    func write(_ frames: [RTCMFrame]) {
        let step = WriteCorrectionsParameters.maxFrames
        for start in stride(from: 0, to: frames.count, by: step) {
            send(frames[start..<min(start + step, frames.count)])
        }
    }

    private func send(_ frames: ArraySlice<RTCMFrame>) {
        connect()
        guard let client, client.unanswered < CorrectionWriter.maxPending else { return }
        do {
            let parameters = WriteCorrectionsParameters(
                frames: frames.map { Base64.encode($0.bytes) }, source: source, receiver: receiver)
            try client.send(ReceiverMethods.writeCorrections.call(with: parameters))
        } catch {
            report("\(error)")
        }
    }

    private func connect() {
        guard client == nil, lastAttempt.map({ loop.now - $0 >= CorrectionWriter.connectInterval }) ?? true else {
            return
        }
        lastAttempt = loop.now
        do throws(SystemError) {
            client = try LoopClient(to: path, in: loop) { [weak self] event in self?.handle(event) }
        } catch {
            report("\(error)")
        }
    }

    private func handle(_ event: LoopClient.Event) {
        switch event {
        case .ended(let failure):
            client = nil
            report("the service has ended the connection (\(failure))")
        case .reply(let match):
            if let failure = match.reply.failure {
                return report("the service does not accept the corrections: \(failure)")
            }
            do throws(UnexpectedParameters) {
                let reply = try match.reply.parameters(of: ReceiverMethods.writeCorrections)
                if let detail = reply.detail { report(detail) } else { problem.reset() }
            } catch {
                report("\(error)")
            }
        }
    }

    /// Logs each problem once.
    private func report(_ reason: String) {
        if problem.shouldLog(reason) { log.write("corrections are not written: \(reason)", priority: .warning) }
    }
}
