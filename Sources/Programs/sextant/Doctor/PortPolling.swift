import Chronology
import Receivers
import SerialPorts
import SextantAPI
import SystemCalls

/// `sextant doctor --probe`: writes questions to a port at each baud rate, and reports who answers.
/// Some receivers send nothing until they are asked.
struct PortPolling {
    /// The time for an answer at one baud rate: that for the questions at 4800 baud, and one
    /// second.
    private static let answerTime = Instant.Span.milliseconds(1500)
    /// The pause between two questions, for receivers with a small buffer.
    private static let pause = Instant.Span.milliseconds(40)

    let path: String

    /// The checks: one for each baud rate that was tried, and a last one with the result.
    func run() throws(CommandError) -> [Check] {
        let holders = PortHolder.holders(of: path)
        guard holders.isEmpty else { throw CommandError(path: path, heldBy: holders) }
        do throws(SerialError) {
            return try ask(SerialPort(path: path))
        } catch {
            throw CommandError(port: error)
        }
    }

    private func ask(_ port: borrowing SerialPort) throws(SerialError) -> [Check] {
        var checks: [Check] = []
        var bytes = 0
        for rate in port.hasBaudRate ? BaudRateDetector.order.map(Int?.some) : [nil] {
            if let rate {
                do throws(SerialError) {
                    try port.setSpeed(rate)
                } catch {
                    guard case .speedUnsupported = error else { throw error }
                    continue
                }
            }
            if StandardError.isTerminal {
                StandardError.overwriteLine("asking at \(rate.map(String.init) ?? "?") baud")
            }
            let poll = ask(port, at: rate)
            bytes += poll.bytes
            if StandardError.isTerminal { StandardError.overwriteLine("") }
            let place = rate.map { "\($0) baud" } ?? "a port without baud rate"
            if let answer = poll.answer { return checks + [result(answer, at: place)] }
            let finding = poll.bytes == 0 ? "silent" : "\(DecimalText.grouped(poll.bytes)) bytes without meaning"
            checks.append(.skipped(.speed, reason: "\(place): \(finding)"))
        }
        return checks + [noResult(bytes)]
    }

    private func ask(_ port: borrowing SerialPort, at rate: Int?) -> ReceiverPoll {
        var poll = ReceiverPoll(baudRate: rate)
        for question in ReceiverPoll.questions {
            _ = port.write(question)
            read(port, into: &poll, until: HostClock.now + PortPolling.pause)
        }
        let end = HostClock.now + PortPolling.answerTime
        while HostClock.now < end, poll.answer == nil { read(port, into: &poll, until: end) }
        return poll
    }

    private func read(_ port: borrowing SerialPort, into poll: inout ReceiverPoll, until end: Instant) {
        guard let ready = try? Poller.readable([port.descriptor], until: end), !ready.isEmpty else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard case .bytes(let count) = port.read(into: &buffer) else { return }
        poll.push(buffer.span.bytes.extracting(0..<count), at: HostClock.now)
    }

    private func result(_ answer: String, at place: String) -> Check {
        .ok(.speed, finding: "\(place): \(answer) answers on \(path)")
    }

    private func noResult(_ bytes: Int) -> Check {
        guard bytes > 0 else {
            return .wrong(
                .speed, finding: "\(path) stays silent at all baud rates, also when it is asked",
                remedy: "check power and wiring (TX to RX, RX to TX). A receiver that another program has put into "
                    + "standby answers only after its power was off")
        }
        return .wrong(
            .speed, finding: "\(path) sends bytes, and nobody answers at any baud rate",
            remedy: LineContent.noise.remedy,
            command: "sextant record --device \(ShellText.quoted(path)) --baud 9600 "
                + "--duration 10 -o unknown.bin")
    }
}
