import Chronology
import Receivers
import Wire

/// Reads a port until enough is known about its receiver or the time limit is reached.
struct PortProbe {
    private(set) var reader: PortReader
    private let start = HostClock.now
    private let timeout: Instant.Span
    private(set) var receiver: ReceiverMessage?
    /// The bytes received at all baud rates; the reader discards those at wrong rates.
    private var bytes = 0

    /// The number of epochs that shows whether there is a fix and which satellites are in view.
    private static let requiredEpochs = 5

    init(_ reader: PortReader, timeout: Instant.Span) {
        self.reader = reader
        self.timeout = timeout
    }

    /// How long the port has been read, in seconds.
    var elapsedSeconds: Double { (HostClock.now - start).seconds }

    mutating func run() {
        let end = start + timeout
        while true {
            let now = HostClock.now
            if let due = reader.deadline, now >= due { reader.tick(at: now) }
            updateReport(at: now)
            if now >= end || isComplete { return }
            show()
            let deadline = earliest(min(end, now + .seconds(1)), reader.deadline)
            guard let ready = try? Poller.readable([reader.descriptor], until: deadline) else { return }
            if !ready.isEmpty, case .lost = reader.read(at: HostClock.now) { return }
        }
    }

    private var isComplete: Bool { reader.hasBaudRate && (receiver?.counts.epochs ?? 0) >= PortProbe.requiredEpochs }

    private mutating func updateReport(at now: Instant) {
        let previousBytes = bytes
        receiver = reader.message(at: now)
        bytes = max(previousBytes, receiver?.counts.bytes ?? 0)
        receiver?.counts.bytes = bytes
        if isComplete || now >= start + timeout, StandardError.isTerminal { StandardError.overwriteLine("") }
    }

    private func show() {
        guard StandardError.isTerminal else { return }
        let baud = reader.baud.map { " at \($0) baud" } ?? ""
        StandardError.overwriteLine("reading \(reader.device.path)\(baud), \(TimeText.span(elapsedSeconds)) ...")
    }
}
