import Chronology
import Receivers

/// The receiver's line and the kernel's buffer. It holds the unread bytes and determines when a
/// buffer reader wakes.
struct RehearsedLine: Sendable {
    /// The number of unread bytes that the kernel keeps: the line buffer of a tty.
    static let bufferSize = 4095
    /// A tty driver delivers its data after a pause of this length, even without a line feed.
    static let idleTimeout = Instant.Span.milliseconds(20)
    /// The step in which a closed port is simulated, so that unread data does not accumulate.
    static let closedPortStep = Instant.Span.seconds(60)

    private(set) var receiver: VirtualReceiver
    /// Whether the daemon has the port open.
    private(set) var isOpen = true
    var schedule = ReadSchedule()
    private var buffer: [UInt8] = []
    private var lastArrival = Instant.zero

    init(_ receiver: VirtualReceiver) {
        self.receiver = receiver
    }

    /// When the schedule requires a read without new data.
    var deadline: Instant? { isOpen ? schedule.deadline : nil }

    /// Advances the receiver until data arrives that wakes a buffer reader, at most until `limit`.
    ///
    /// - Returns: The time of the wakeup; nil if no data arrived or no reader waits.
    mutating func arrival(before limit: Instant) -> Instant? {
        guard isOpen, schedule.wakesOnData else { return nil }
        while true {
            if !buffer.isEmpty {
                if buffer.last == 10 || buffer.contains(10) { return lastArrival }
                let idleSince = lastArrival + RehearsedLine.idleTimeout
                if receiver.deadline.map({ $0 > idleSince }) ?? true, idleSince < limit { return idleSince }
            }
            guard let due = receiver.deadline, due < limit else { return nil }
            gather(until: due)
        }
    }

    /// Advances the receiver to a time.
    mutating func advance(to now: Instant) {
        while let due = receiver.deadline, due + RehearsedLine.closedPortStep < now {
            gather(until: due + RehearsedLine.closedPortStep)
        }
        gather(until: now)
    }

    /// Returns the bytes that have arrived and removes them from the buffer.
    mutating func read() -> [UInt8] {
        defer { buffer.removeAll(keepingCapacity: true) }
        return buffer
    }

    mutating func write(_ bytes: [UInt8], at now: Instant) {
        guard isOpen else { return }
        receiver.process(bytes, at: now)
        schedule.wrote()
    }

    mutating func close() {
        isOpen = false
        buffer.removeAll()
    }

    mutating func open() {
        isOpen = true
        schedule.restart()
    }

    private mutating func gather(until now: Instant) {
        for chunk in receiver.bytes(until: now) where isOpen {
            lastArrival = chunk.instant
            buffer.append(contentsOf: chunk.bytes.prefix(RehearsedLine.bufferSize - buffer.count))
        }
    }
}
