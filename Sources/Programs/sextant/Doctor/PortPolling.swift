import Chronology
import Receivers
import SerialPorts
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
    /// Whether the kernel writes its messages to a port.
    var isKernelConsole: (String) -> Bool = PortTaker.isKernelConsole

    /// The checks: one for each baud rate that was tried, and a last one with the result.
    func run() throws(CommandError) -> [Check] {
        if isKernelConsole(path) {
            throw CommandError(
                "the kernel writes its messages to \(path), its console; remove console= of this port from the "
                    + "kernel's command line: \(PortRelease.consoleCommand)", exitStatus: .noInput)
        }
        let file = DeviceFile(path: path)
        guard !file.exists || file.isSerialPort else { throw CommandError(port: .notATerminal(path: path)) }
        let holders = PortHolder.holders(of: path)
        guard holders.isEmpty else { throw CommandError(path: path, heldBy: holders) }
        let port: SerialPort
        do throws(SerialError) {
            port = try SerialPort(path: path)
        } catch {
            throw CommandError(port: error)
        }
        return try ask(port)
    }

    /// Asks at each baud rate that an open port has.
    func ask(_ port: borrowing SerialPort) throws(CommandError) -> [Check] {
        var checks: [Check] = []
        var bytes = 0
        var hasEcho = false
        for rate in port.hasBaudRate ? BaudRateDetector.order.map(Int?.some) : [nil] {
            if let rate {
                do throws(SerialError) {
                    try port.setBaudRate(rate)
                } catch {
                    guard case .baudRateUnsupported = error else { throw CommandError(port: error) }
                    continue
                }
            }
            if StandardError.isTerminal {
                StandardError.overwriteLine("asking at \(rate.map(String.init) ?? "?") baud")
            }
            let poll = try ask(port, at: rate)
            bytes += poll.bytes
            hasEcho = hasEcho || poll.hasEcho
            if StandardError.isTerminal { StandardError.overwriteLine("") }
            let place = rate.map { "\($0) baud" } ?? "a port without baud rate"
            if let answer = poll.answer { return checks + [result(answer, at: place)] }
            let finding = poll.bytes == 0 ? "silent" : "\(DecimalText.grouped(poll.bytes)) bytes without meaning"
            checks.append(.skipped(.baud, reason: "\(place): \(poll.hasEcho ? "an echo of the questions" : finding)"))
        }
        return checks + [noResult(bytes, hasEcho: hasEcho)]
    }

    func ask(_ port: borrowing SerialPort, at rate: Int?) throws(CommandError) -> ReceiverPoll {
        var poll = ReceiverPoll(baudRate: rate)
        for question in ReceiverPoll.questions {
            try write(question, to: port, reading: &poll)
            try read(port, into: &poll, until: HostClock.now + PortPolling.pause)
        }
        let end = HostClock.now + PortPolling.answerTime
        while HostClock.now < end, poll.answer == nil { try read(port, into: &poll, until: end) }
        return poll
    }

    /// Writes a question. A full line gets time to send.
    private func write(
        _ question: [UInt8], to port: borrowing SerialPort, reading poll: inout ReceiverPoll
    ) throws(CommandError) {
        var rest = question[...]
        let end = HostClock.now + PortPolling.answerTime
        while !rest.isEmpty {
            let result = port.write(Array(rest))
            if case .wrote(let count) = result, count > 0 {
                rest = rest.dropFirst(count)
            } else if let error = refusal(result, isLate: HostClock.now >= end) {
                throw error
            } else {
                try read(port, into: &poll, until: HostClock.now + PortPolling.pause)
            }
        }
    }

    /// Returns the error of a write that was not accepted; nil if it may be tried again.
    func refusal(_ result: SerialPort.WriteResult, isLate: Bool) -> CommandError? {
        switch result {
        case .refused:
            CommandError(
                "\(path) can be read but not written, so nobody can be asked; see the permissions with "
                    + "ls -lL \(ShellText.quoted(path)), or run this command with sudo", exitStatus: .noInput)
        case .lost(let loss): lost(loss)
        case .wouldBlock, .wrote:
            isLate
                ? CommandError(
                    "\(path) accepts no bytes, so nobody can be asked; connect the device again", exitStatus: .noInput)
                : nil
        }
    }

    private func read(
        _ port: borrowing SerialPort, into poll: inout ReceiverPoll, until end: Instant
    ) throws(CommandError) {
        guard let ready = try? Poller.readable([port.descriptor], until: end), !ready.isEmpty else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        switch port.read(into: &buffer) {
        case .bytes(let count): poll.push(buffer.span.bytes.extracting(0..<count), at: HostClock.now)
        case .wouldBlock: break
        case .lost(let loss): throw lost(loss)
        }
    }

    private func lost(_ loss: PortLoss) -> CommandError {
        CommandError(
            "\(path) was lost while it was asked (\(loss)); connect the device again and repeat the command",
            exitStatus: .noInput)
    }

    private func result(_ answer: String, at place: String) -> Check {
        .ok(.baud, finding: "\(place): \(answer) answers on \(path)")
    }

    private func noResult(_ bytes: Int, hasEcho: Bool) -> Check {
        if hasEcho {
            return .wrong(
                .baud, finding: "\(path) only returns the questions",
                remedy: "check whether TX and RX are connected to each other. A device that returns what it gets is a "
                    + "login terminal or a modem, and no GNSS receiver")
        }
        guard bytes > 0 else {
            return .wrong(
                .baud, finding: "\(path) stays silent at all baud rates, also when it is asked",
                remedy: "check power and wiring (TX to RX, RX to TX). A receiver that another program has put into "
                    + "standby answers only after its power was off")
        }
        return .wrong(
            .baud, finding: "\(path) sends bytes, and nobody answers at any baud rate",
            remedy: LineContent.noise.remedy,
            command: "sextant record --device \(ShellText.quoted(path)) --baud 9600 "
                + "--duration 10 -o unknown.bin")
    }
}
