import Chronology
import ReceiverSimulator
import Serial

/// The receiver's line and the kernel's end of it: what has arrived and was not read, and when a reader who watches is woken.
struct RehearsedLine: Sendable {
    /// Bytes the kernel keeps for one who does not read: a tty's line buffer.
    static let kept = 4095
    /// A tty driver hands over what it has when the line pauses for that long, line feed or not.
    static let pause = Instant.Span.milliseconds(20)
    /// A closed port is passed over in steps of this, so that what nobody reads is not gathered.
    static let stride = Instant.Span.seconds(60)

    private(set) var receiver: VirtualReceiver
    /// Whether the daemon has it open.
    private(set) var isOpen = true
    var schedule = ReadSchedule()
    private var waiting: [UInt8] = []
    private var newest = Instant.zero

    init(_ receiver: VirtualReceiver) {
        self.receiver = receiver
    }

    /// When the schedule wants a read though nothing wakes it.
    var deadline: Instant? { isOpen ? schedule.deadline : nil }

    /// Lets the receiver live until something arrives that wakes a reader who watches, at `limit` at the latest.
    ///
    /// - Returns: when it arrived; nil when nothing did, or nobody watches.
    mutating func arrival(before limit: Instant) -> Instant? {
        guard isOpen, schedule.watches else { return nil }
        while true {
            if !waiting.isEmpty {
                if waiting.last == 10 || waiting.contains(10) { return newest }
                let silent = newest + RehearsedLine.pause
                if receiver.deadline.map({ $0 > silent }) ?? true, silent < limit { return silent }
            }
            guard let due = receiver.deadline, due < limit else { return nil }
            gather(until: due)
        }
    }

    /// Lets the receiver live up to an instant.
    mutating func pass(to now: Instant) {
        while let due = receiver.deadline, due + RehearsedLine.stride < now { gather(until: due + RehearsedLine.stride) }
        gather(until: now)
    }

    /// What has arrived.
    mutating func read() -> [UInt8] {
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }

    mutating func write(_ bytes: [UInt8], at now: Instant) {
        guard isOpen else { return }
        receiver.hear(bytes, at: now)
        schedule.wrote()
    }

    mutating func close() {
        isOpen = false
        waiting.removeAll()
    }

    mutating func open() {
        isOpen = true
        schedule.restart()
    }

    private mutating func gather(until now: Instant) {
        for chunk in receiver.bytes(until: now) where isOpen {
            newest = chunk.instant
            waiting.append(contentsOf: chunk.bytes.prefix(RehearsedLine.kept - waiting.count))
        }
    }
}
