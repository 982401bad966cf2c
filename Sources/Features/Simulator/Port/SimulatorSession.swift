import CLinux
import Chronology
import Glibc
import SystemCalls

/// A simulated receiver on a pseudo-terminal. It plugs and unplugs the port, sends the receiver's
/// output on time and passes input to the receiver.
package struct SimulatorSession: ~Copyable {
    /// An event to report to the user.
    package enum Event: Sendable, Equatable {
        /// The port has appeared at this path, with an optional link to it.
        case plugged(path: String, link: String?)
        /// The port has disappeared temporarily.
        case unplugged
        /// A fault has begun.
        case began(Fault)
        /// A fault has ended.
        case ended(Fault)
        /// The reader has set another baud rate; nil for an unsupported one.
        case baudRate(Int?)
        /// The reader has written bytes.
        case received([UInt8])
    }

    private let options: SimulatorOptions
    private let portOptions: PortOptions
    private let report: (Event) -> Void
    private let origin: Instant
    private var receiver: VirtualReceiver
    private let baud: Int
    private let link: PortSymlink?
    private var terminal: PseudoTerminal?
    private var active: [Fault] = []
    /// Time since the start up to which fault changes have been applied.
    private var handled = Instant.Span(nanoseconds: -1)
    private var readerBaudRate: Int?
    /// Whether a program had the port open at the last step, and has not discarded the announcement
    /// since then.
    private var knowsReader = false
    /// The end of the session, 300 ms after the last byte, so that the reader can read it.
    private var drainDeadline: Instant?

    /// Powers the receiver on and plugs it in.
    ///
    /// - Parameters:
    ///   - options: The options of the receiver.
    ///   - portOptions: The options of its port.
    ///   - now: The current time.
    ///   - utc: UTC at `now`, which the receiver uses unless the options specify another time.
    ///   - report: Receives every event, called from ``step(now:)``.
    /// - Throws: ``SimulatorOptions/Error`` or ``SystemError``.
    package init(
        _ options: SimulatorOptions, on portOptions: PortOptions = PortOptions(), now: Instant, utc: UTCTime,
        report: @escaping (Event) -> Void
    ) throws {
        var options = options
        options.announcesSimulation = true
        let built = try options.build(origin: now, utc: utc)
        let link = portOptions.link.map(PortSymlink.init)
        let terminal = try PseudoTerminal.open(baud: built.baud, portBaud: portOptions.portBaud)
        try link?.point(to: terminal.path)
        report(.plugged(path: terminal.path, link: link?.path))
        // Swift 6.2, which builds the arm64 packages, fails for a throw in a partial value.
        self.init(options, portOptions, built, link, terminal, origin: now, report: report)
    }

    private init(
        _ options: SimulatorOptions, _ portOptions: PortOptions, _ built: SimulatedReceiver, _ link: PortSymlink?,
        _ terminal: consuming PseudoTerminal, origin: Instant, report: @escaping (Event) -> Void
    ) {
        self.options = options
        self.portOptions = portOptions
        self.report = report
        self.link = link
        receiver = built.receiver
        baud = built.baud
        self.origin = origin
        readerBaudRate = terminal.readerBaudRate
        self.terminal = consume terminal
    }

    deinit {
        if case .some(let terminal) = terminal { link?.remove(ifPointingTo: terminal.path) }
    }

    /// The path of the port; nil while it is unplugged.
    package var path: String? {
        switch terminal {
        case .some(let terminal): terminal.path
        case .none: nil
        }
    }

    /// Returns whether everything has been sent or the duration has elapsed.
    package func isFinished(now: Instant) -> Bool {
        if let duration = options.duration, now - origin >= duration { return true }
        return drainDeadline.map { now >= $0 } ?? false
    }

    /// When ``step(now:)`` must be called next; nil if only the reader can cause work.
    package var deadline: Instant? {
        let next = earliest(
            receiver.deadline ?? drainDeadline, options.faults.nextChange(after: handled).map { origin + $0 })
        return earliest(next, options.duration.map { origin + $0 })
    }

    /// Performs all work that is due.
    ///
    /// - Throws: ``SystemError`` if the port cannot be created.
    package mutating func step(now: Instant) throws(SystemError) {
        let written = readInput()
        announceToNewReader()
        // Processes bytes and faults in chronological order, even after a long sleep.
        while let change = options.faults.nextChange(after: handled), origin + change <= now {
            deliver(until: origin + change - Instant.Span(nanoseconds: 1))
            try apply(changeAt: change)
        }
        deliver(until: now)
        if !written.isEmpty {
            receiver.process(BaudRateMismatch.read(written, sender: readerBaudRate ?? baud, listener: baud), at: now)
            deliver(until: now)
        }
        if receiver.isOver, drainDeadline == nil { drainDeadline = now + .milliseconds(300) }
    }
}

// The parts of a step.
extension SimulatorSession {
    /// Announces the simulation to a program that has opened the port, or has discarded what it did
    /// not read, as when it sets the baud rate. It may read a position from the rest of a burst
    /// whose own announcement it missed.
    private mutating func announceToNewReader() {
        let hasReader = openPortDescriptor >= 0
        if hasReader, !knowsReader, options.binary == nil { terminal?.send(SimulationAnnouncement.sentence) }
        knowsReader = hasReader
    }

    private mutating func deliver(until now: Instant) {
        for chunk in receiver.bytes(until: now) { terminal?.send(chunk.bytes) }
    }

    private mutating func apply(changeAt elapsed: Instant.Span) throws(SystemError) {
        handled = elapsed
        let present = options.faults.faults.filter { $0.isActive(at: elapsed) }
        for fault in active where !present.contains(fault) { report(.ended(fault)) }
        for fault in present where !active.contains(fault) { report(.began(fault)) }
        active = present
        let unplugged = present.contains { $0.kind == .unplug }
        if unplugged {
            unplug()
        } else if terminal == nil {
            receiver.powerOn(at: origin + elapsed)
            try plug()
        }
    }

    private mutating func plug() throws(SystemError) {
        let new = try PseudoTerminal.open(baud: baud, portBaud: portOptions.portBaud)
        try link?.point(to: new.path)
        report(.plugged(path: new.path, link: link?.path))
        readerBaudRate = new.readerBaudRate
        terminal = consume new
    }

    private mutating func unplug() {
        guard let path else { return }
        link?.remove(ifPointingTo: path)
        terminal = nil
        report(.unplugged)
    }

    /// - Returns: The bytes that the reader has written.
    private mutating func readInput() -> [UInt8] {
        guard terminal != nil else { return [] }
        var written: [UInt8] = []
        var discarded = false
        while let bytes = terminal?.received(discarded: &discarded), !bytes.isEmpty {
            report(.received(bytes))
            written += bytes
        }
        if discarded { knowsReader = false }
        let present = terminal?.readerBaudRate
        if present != readerBaudRate {
            readerBaudRate = present
            report(.baudRate(present))
        }
        return written
    }
}

extension SimulatorSession {
    /// Runs until the session is finished or `stop` becomes readable.
    ///
    /// - Parameter stop: A descriptor that ends the run, such as the read end of a pipe that a
    ///   signal handler writes to.
    /// - Throws: ``SystemError``.
    package mutating func run(stop: Int32? = nil) throws(SystemError) {
        while true {
            let now = SimulatorClock.now
            try step(now: now)
            if isFinished(now: now) { return }
            if try sleep(until: deadline, stop: stop) { return }
        }
    }

    /// The descriptor of the port while a program has it open, otherwise -1. An unopened port is
    /// always hung up and would end every wait immediately.
    private var openPortDescriptor: Int32 {
        switch terminal {
        case .some(let terminal): terminal.hasReader ? terminal.master : -1
        case .none: -1
        }
    }

    private func sleep(until deadline: Instant?, stop: Int32?) throws(SystemError) -> Bool {
        let span = deadline.map { ($0 - SimulatorClock.now).nanoseconds }
        // Rounded up, so that the loop does not spin during the last millisecond.
        var timeout = span.map { Int32(clamping: max(0, ($0 + 999_999) / 1_000_000)) } ?? -1
        let port = openPortDescriptor
        // A sleeping receiver has no deadline. A check every 500 ms detects a program that opens
        // the port to wake it.
        if port == -1, timeout < 0 || timeout > 500 { timeout = 500 }
        var descriptors = [
            pollfd(fd: stop ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: port, events: Int16(POLLIN), revents: 0),
        ]
        try systemCall("waiting for the port") { poll(&descriptors, 2, timeout) }
        return descriptors[0].revents != 0
    }
}

/// The options of the pseudo-terminal on which a receiver is simulated.
package struct PortOptions: Sendable {
    /// The initial baud rate; nil for that of the receiver.
    package var portBaud: Int?
    /// The path of a symbolic link to the pseudo-terminal; nil for no link.
    package var link: String?

    /// Creates options for a port at the receiver's baud rate, without a link.
    package init(portBaud: Int? = nil, link: String? = nil) {
        self.portBaud = portBaud
        self.link = link
    }
}

/// The only clock access of the simulator.
package enum SimulatorClock {
    /// The current time of the boot-time clock, which continues while the machine sleeps.
    package static var now: Instant { Instant(nanoseconds: read(CLOCK_BOOTTIME)) }

    /// The current UTC time of the host.
    package static var utc: UTCTime { UTCTime(milliseconds: read(CLOCK_REALTIME) / 1_000_000) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
