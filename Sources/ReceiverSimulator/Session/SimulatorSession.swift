import CLinux
import Chronology
import Glibc

/// A virtual receiver on a pseudo-terminal: plugs and unplugs it, feeds it in time, and listens to what is written to it.
public struct SimulatorSession: ~Copyable {
    /// What is worth telling a person.
    public enum Event: Sendable, Equatable {
        /// The port is there: its path, and the link to it.
        case plugged(path: String, link: String?)
        /// The port is gone for a while.
        case unplugged
        /// A fault has begun.
        case began(Fault)
        /// A fault is over.
        case ended(Fault)
        /// The listener has set another speed; nil for an unusual one.
        case speed(Int?)
        /// The listener has written something.
        case received([UInt8])
    }

    private let options: SimulatorOptions
    private let report: (Event) -> Void
    private let origin: Instant
    private var receiver: VirtualReceiver
    private let baud: Int
    private let link: StableLink?
    private var terminal: PseudoTerminal?
    private var active: [Fault] = []
    /// How far faults have been dealt with.
    private var handled = Instant.Span(nanoseconds: -1)
    private var speed: Int?
    /// When the last byte has had time to be read.
    private var lingerEnd: Instant?

    /// Switches the receiver on and plugs it in.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - utc: UTC at `now`, which the receiver states unless the options say otherwise.
    ///   - report: Told of every event, from within ``step(now:)``.
    /// - Throws: ``SimulatorOptions/Flaw`` or ``SystemFailure``.
    public init(_ options: SimulatorOptions, now: Instant, utc: UTCTime, report: @escaping (Event) -> Void) throws {
        let built = try options.build(origin: now, utc: utc)
        let link = options.link.map(StableLink.init)
        let terminal = try PseudoTerminal.open(baud: built.baud, lineSpeed: options.lineSpeed)
        try link?.point(to: terminal.path)
        report(.plugged(path: terminal.path, link: link?.path))
        (self.options, self.report, self.link) = (options, report, link)
        (receiver, baud, origin) = (built.receiver, built.baud, now)
        speed = terminal.listenerSpeed
        self.terminal = consume terminal
    }

    deinit {
        if case .some(let terminal) = terminal { link?.remove(ifPointingTo: terminal.path) }
    }

    /// Path of the port; nil while it is unplugged.
    public var path: String? {
        switch terminal {
        case .some(let terminal): terminal.path
        case .none: nil
        }
    }

    /// Whether everything has been said, or the time is up.
    public func isFinished(now: Instant) -> Bool {
        if let duration = options.duration, now - origin >= duration { return true }
        return lingerEnd.map { now >= $0 } ?? false
    }

    /// When ``step(now:)`` has something to do next; nil if only the listener can cause that.
    public var deadline: Instant? {
        let next = earliest(receiver.deadline ?? lingerEnd, options.faults.nextChange(after: handled).map { origin + $0 })
        return earliest(next, options.duration.map { origin + $0 })
    }

    /// Does everything that is due.
    ///
    /// - Throws: ``SystemFailure`` when the port cannot be made.
    public mutating func step(now: Instant) throws(SystemFailure) {
        let written = listen()
        // Bytes and faults in the order of their times, also after a long sleep.
        while let change = options.faults.nextChange(after: handled), origin + change <= now {
            deliver(until: origin + change - Instant.Span(nanoseconds: 1))
            try apply(changeAt: change)
        }
        deliver(until: now)
        if !written.isEmpty {
            receiver.hear(MismatchedLine.read(written, sender: speed ?? baud, listener: baud), at: now)
            deliver(until: now)
        }
        if receiver.isOver, lingerEnd == nil { lingerEnd = now + .milliseconds(300) }
    }
}

// What a step consists of.
extension SimulatorSession {
    private mutating func deliver(until now: Instant) {
        for chunk in receiver.bytes(until: now) { terminal?.send(chunk.bytes) }
    }

    private mutating func apply(changeAt elapsed: Instant.Span) throws(SystemFailure) {
        handled = elapsed
        let present = options.faults.faults.filter { $0.isActive(at: elapsed) }
        for fault in active where !present.contains(fault) { report(.ended(fault)) }
        for fault in present where !active.contains(fault) { report(.began(fault)) }
        active = present
        let unplugged = present.contains { $0.kind == .unplug }
        if unplugged { unplug() } else if terminal == nil { try plug() }
    }

    private mutating func plug() throws(SystemFailure) {
        let new = try PseudoTerminal.open(baud: baud, lineSpeed: options.lineSpeed)
        try link?.point(to: new.path)
        report(.plugged(path: new.path, link: link?.path))
        speed = new.listenerSpeed
        terminal = consume new
    }

    private mutating func unplug() {
        guard let path else { return }
        link?.remove(ifPointingTo: path)
        terminal = nil
        report(.unplugged)
    }

    /// - Returns: What the listener has written.
    private mutating func listen() -> [UInt8] {
        guard terminal != nil else { return [] }
        var written: [UInt8] = []
        while let bytes = terminal?.received(), !bytes.isEmpty {
            report(.received(bytes))
            written += bytes
        }
        let present = terminal?.listenerSpeed
        if present != speed {
            speed = present
            report(.speed(present))
        }
        return written
    }
}

extension SimulatorSession {
    /// Runs until it is finished, or until `stop` becomes readable.
    ///
    /// - Parameter stop: A descriptor that ends the run, such as the reading end of a pipe a signal handler writes to.
    /// - Throws: ``SystemFailure``.
    public mutating func run(stop: Int32? = nil) throws(SystemFailure) {
        while true {
            let now = SimulatorClock.now
            try step(now: now)
            if isFinished(now: now) { return }
            if try sleep(until: deadline, stop: stop) { return }
        }
    }

    /// The port while somebody has it open: one that nobody has is always "hung up" and would end every wait at once.
    private var audiblePort: Int32 {
        switch terminal {
        case .some(let terminal): terminal.hasListener ? terminal.master : -1
        case .none: -1
        }
    }

    /// - Returns: Whether the run shall stop.
    private func sleep(until deadline: Instant?, stop: Int32?) throws(SystemFailure) -> Bool {
        let span = deadline.map { ($0 - SimulatorClock.now).nanoseconds }
        // Rounded up, lest the last millisecond be spent spinning.
        var timeout = span.map { Int32(clamping: max(0, ($0 + 999_999) / 1_000_000)) } ?? -1
        let port = audiblePort
        // A receiver that sleeps has nothing due; whoever opens its port to wake it is looked for.
        if port == -1, timeout < 0 || timeout > 500 { timeout = 500 }
        var descriptors = [pollfd(fd: stop ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: port, events: Int16(POLLIN), revents: 0)]
        try system("wait for the port") { poll(&descriptors, 2, timeout) }
        return descriptors[0].revents != 0
    }
}
