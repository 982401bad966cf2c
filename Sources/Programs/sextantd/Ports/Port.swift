import Chronology
import Glibc
import Locator
import Positioning
import Receivers
import SerialPorts
import ServiceRuntime

/// The owner of a port.
protocol PortDelegate: AnyObject {
    /// Processes bytes of a confirmed port.
    ///
    /// - Parameter onFrame: Receives the body of each sentence, unless it is nil.
    func receive(_ bytes: RawSpan, from port: Port, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> ReadSummary

    /// Handles a change that the session reports.
    func handle(_ event: SessionEvent, of port: Port, at now: Instant)

    /// Returns what is known of the receiver from its messages.
    func identity(of port: Port) -> ReceiverIdentity

    /// What a receiver may be told before its first fix.
    var assistance: StartAssistance? { get }

    /// Returns what may be given back to the receiver if it had no power.
    func satelliteData(for port: Port, at now: Instant) -> SatelliteData?

    /// Returns the last detected baud rate of the device.
    func savedBaudRate(of port: Port) -> Int?

    /// Returns the changes made to the receiver and not yet restored.
    func savedState(of port: Port) -> ReceiverStateRecord?

    /// Returns the name of another port that has this device open, by any path.
    func holder(of port: Port) -> String?
}

/// The serial port of a receiver: it opens, reads and writes the device, and performs the actions
/// of its ``ReceiverSession``, which makes all decisions.
final class Port {
    /// The maximum number of bytes per read, the size of a tty's line buffer.
    private static let readSize = 4096

    let id: ReceiverID
    /// The unique name shown to clients.
    let name: String
    /// The configuration of a port named by flag or file.
    let named: Settings.NamedPort?
    private(set) var session: ReceiverSession

    private let loop: EventLoop
    private weak var delegate: (any PortDelegate)?
    private var serial: SerialPort?
    private var source: IOSource?
    private(set) var watchedEvents: IOEvents = .readable
    private var buffer = [UInt8](repeating: 0, count: Port.readSize)
    private var output = PortWriter()
    private var isPerforming = false
    /// Whether the commands of the present actions are dropped.
    private var dropsCommands = false
    /// Whether the port is opened again before the receiver runs.
    private var mustReopen = false

    init(
        id: ReceiverID, name: String, device: DeviceDescription, named: Settings.NamedPort?, loop: EventLoop,
        power: Settings.Power, rescues: Bool = true, assistance: Settings.Assistance = Settings.Assistance(),
        delegate: any PortDelegate
    ) {
        self.id = id
        self.named = named
        self.name = name
        self.loop = loop
        self.delegate = delegate
        var settings = SessionSettings()
        settings.isConfigured = named != nil
        settings.baudRate = named?.baud
        settings.isPassive = named?.passive ?? false
        settings.controlsPower = power == .auto
        settings.rescues = rescues
        settings.predictsOrbits = assistance.prediction
        settings.keepsDatabase = assistance.database && assistance.timeAndPlace
        session = ReceiverSession(device, settings: settings)
    }

    /// The device as of the last opening of the port.
    var device: DeviceDescription { session.device }

    var isOpen: Bool { serial != nil }

    var descriptor: Int32? { serial?.descriptor }

    /// Whether all settings of this receiver are restored, as far as it can be reached.
    var isFinished: Bool { session.isFinished && output.isEmpty }
}

// MARK: Events
extension Port {
    /// Performs due work: retries the opening, continues the detection, reads and advances the
    /// driver.
    func tick(at now: Instant) {
        update(at: now) { $0.tick(at: now) }
        if session.isReadDue(at: now) { read(at: now) }
        update(at: now) { $0.advanceDriver(at: now) }
    }

    /// Handles events of the descriptor. A hangup is reported even if no event is requested.
    func ready(_ events: IOEvents, at now: Instant) {
        if events.contains(.writable) { writeOutput(at: now) }
        let readEvents = events.subtracting(.writable)
        guard !readEvents.isEmpty else { return updateWatch() }
        if readEvents == .readable, session.mayDeferRead(at: now) { return updateWatch() }
        read(at: now)
    }

    func apply(_ plan: ReceiverPlan, at now: Instant) {
        if mustReopen, case .run = plan {
            close(at: now)
            open(at: now)
        }
        let assistance = delegate?.assistance
        update(at: now) { $0.apply(plan, assistance: assistance, at: now) }
    }

    /// Sets how soon received data is needed.
    func setReadPolicy(_ policy: ReadPolicy, at now: Instant) {
        session.setReadPolicy(policy, at: now)
        updateWatch()
    }

    /// Records that what must be restored in the receiver cannot be saved: the commands that need
    /// it are not written.
    ///
    /// - Parameter record: What is saved.
    func savingFailed(keeping record: ReceiverStateRecord?, at now: Instant) {
        dropsCommands = true
        update(at: now) { $0.savingFailed(keeping: record, at: now) }
    }

    /// Records that the idle line ended an epoch in the core.
    func burstEnded(at now: Instant) {
        session.burstEnded(at: now)
        updateWatch()
    }

    func recordEpoch(hasFix: Bool, at now: Instant) { update(at: now) { $0.recordEpoch(hasFix: hasFix, at: now) } }

    /// Restores the receiver's settings. Continue to call ``tick(at:)`` until ``isFinished``.
    func finish(at now: Instant) { update(at: now) { $0.finish(at: now) } }

    /// Handles the report that the device was removed. Most open ports have detected this already,
    /// but some kernel drivers keep the descriptor valid. If the path exists again, the report is
    /// outdated.
    func deviceWasRemoved(at now: Instant) {
        guard access(device.path, F_OK) != 0 else { return }
        update(at: now) { $0.lost("\(PortLoss.ended)", at: now) }
    }

    /// Opens the port again, because the host has slept: the receiver may have lost its power, and
    /// the line its settings. One that sleeps is left asleep until it is needed.
    func reopen(at now: Instant) {
        guard isOpen else { return }
        mustReopen = session.driverReport?.isToldToSleep == true
        guard !mustReopen else { return }
        close(at: now)
        open(at: now)
    }

    func close(at now: Instant) { update(at: now) { $0.close() } }

    /// Writes frames of corrections, if the session allows it.
    func write(corrections: [UInt8]) throws(CorrectionRefusal) {
        if let refusal = CorrectionRefusal(session) { throw refusal }
        guard isOpen else { throw .closed }
        guard output.append(corrections: corrections) else { throw .lineBusy }
        writeOutput(at: loop.now)
        updateWatch()
    }

    /// Passes an event to the session and performs the resulting actions.
    private func update(at now: Instant, _ event: (inout ReceiverSession) -> Void) {
        event(&session)
        performActions(at: now)
    }

    private func performActions(at now: Instant) {
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        // An action may cause further actions.
        var actions = session.takeActions()
        while !actions.isEmpty {
            dropsCommands = false
            for action in actions { perform(action, at: now) }
            actions = session.takeActions()
        }
        updateWatch()
    }

    private func perform(_ action: SessionAction, at now: Instant) {
        switch action {
        case .open: open(at: now)
        case .close: closeDevice()
        case .setBaudRate(let rate):
            do {
                try serial?.setBaudRate(rate)
            } catch {
                session.baudRateRefused(at: now)
            }
        case .write(let command):
            guard isOpen, !dropsCommands, output.append(command) else { return }
            writeOutput(at: now)
        case .findHolders: session.holdersFound(PortUse(of: device.path), at: now)
        case .startDriver:
            let identity = delegate?.identity(of: self) ?? ReceiverIdentity()
            session.startDriver(identity, assistance: delegate?.assistance, at: now)
        case .report(let event): delegate?.handle(event, of: self, at: now)
        }
    }
}

// MARK: The device
extension Port {
    /// Opens the port, unless it is open.
    func open(at now: Instant) {
        guard !isOpen else { return }
        if named != nil { session.update(DeviceEnumerator.describe(device.path)) }
        if let holder = delegate?.holder(of: self) {
            // Two readers of one device would each get only parts of the sentences.
            let message = "\(device.path) is already open as the receiver \(holder); configure it only once"
            return update(at: now) { $0.openFailed(.busy(message), at: now) }
        }
        do {
            let line = try openDevice()
            // One that only sleeps has its own.
            let data = line.savedState?.isAsleep == true ? nil : delegate?.satelliteData(for: self, at: now)
            update(at: now) { $0.opened(line, data: data, at: now) }
        } catch {
            // A half-open port would block its own next attempt.
            closeDevice()
            let failure = OpenFailure(error)
            update(at: now) { $0.openFailed(failure, at: now) }
        }
    }

    private func openDevice() throws -> OpenedLine {
        let serial = try SerialPort(path: device.path, baudRate: named?.baud)
        self.serial = serial
        var line = OpenedLine()
        line.savedBaudRate = delegate?.savedBaudRate(of: self)
        line.savedState = delegate?.savedState(of: self)
        if serial.hasBaudRate && named?.baud == nil { line.detector = try startDetection(on: serial) }
        line.baudRate = serial.hasBaudRate ? serial.baudRate : nil
        watchedEvents = .readable
        source = try loop.watch(serial.descriptor, for: .readable) { [unowned self] in ready($0, at: loop.now) }
        return line
    }

    /// Starts detection at the first baud rate that the port supports.
    private func startDetection(on serial: SerialPort) throws -> BaudRateDetector {
        var detector = BaudRateDetector(present: serial.baudRate, saved: delegate?.savedBaudRate(of: self))
        while true {
            do throws(SerialError) {
                try serial.setBaudRate(detector.baudRate)
                return detector
            } catch {
                guard case .baudRateUnsupported = error, detector.baudRateRefused() != nil else { throw error }
            }
        }
    }

    private func closeDevice() {
        source?.remove()
        source = nil
        serial = nil
        mustReopen = false
        output = PortWriter()
    }

    /// Reads the available bytes.
    private func read(at now: Instant) {
        guard let serial else { return }
        switch serial.read(into: &buffer) {
        case .bytes(let count): buffer.withUnsafeBytes { receive($0.bytes.extracting(0..<count), at: now) }
        case .wouldBlock: update(at: now) { $0.readNothing(at: now) }
        case .lost(let loss): update(at: now) { $0.lost("\(loss)", at: now) }
        }
    }

    private func receive(_ bytes: RawSpan, at now: Instant) {
        session.beginRead(bytes, at: now)
        let summary: ReadSummary
        if session.isConfirmed {
            let onFrame: ((RawSpan) -> Void)? =
                session.needsMessages ? { [unowned self] in session.addSentence($0) } : nil
            summary = delegate?.receive(bytes, from: self, at: now, onFrame: onFrame) ?? ReadSummary()
        } else {
            summary = session.detectReceiver(in: bytes, at: now)
        }
        update(at: now) { $0.endRead(bytes.byteCount, summary: summary, at: now) }
    }

    /// Writes as many bytes as the line accepts. The rest follows when there is space.
    private func writeOutput(at now: Instant) {
        guard let serial, !output.isEmpty else { return }
        switch serial.write(output.unsent) {
        case .wrote(let count):
            output.removeFirst(count)
            session.wrote(at: now)
        case .wouldBlock: break
        // The driver detects by itself that the receiver does not respond. The next read reports
        // the loss of the port.
        case .refused, .lost: output = PortWriter()
        }
    }

    /// Updates the events that the descriptor is watched for. None are requested while the session
    /// leaves a burst in the kernel.
    private func updateWatch() {
        var wanted: IOEvents = session.wakesOnData ? .readable : []
        if !output.isEmpty { wanted.insert(.writable) }
        guard let source, wanted != watchedEvents else { return }
        watchedEvents = wanted
        // If the change fails, the descriptor continues to wake the loop as before.
        try? source.setEvents(wanted)
    }
}

extension OpenFailure {
    /// Creates the cause from an error of the serial port or the event loop.
    fileprivate init(_ error: any Error) {
        switch error as? SerialError {
        case .notFound: self = .notFound
        case .permissionDenied, .deniedByDeviceFilter: self = .denied("sextantd cannot open \(error)")
        case .busy(_, let holders):
            // A sandboxed service cannot see other users' descriptors.
            let hint = holders.isEmpty ? "; sudo sextant doctor shows which process uses it" : ""
            self = .busy("\(error)\(hint); retrying until it is free")
        case .notATerminal, .baudRateUnsupported, .system, nil: self = .other("\(error)")
        }
    }
}

extension PortUse {
    /// Looks for the programs that have a port open or may have. Those that locked it or set
    /// TIOCEXCL before are no longer to be found, because the port could not be opened then.
    fileprivate init(of path: String) {
        func command(_ holder: PortHolder) -> String { holder.stopCommand ?? "sudo kill \(holder.process)" }
        let holders = PortHolder.holders(of: path)
        if let first = holders.first {
            self = .open(holders.map(\.description), command: command(first))
            return
        }
        switch PortHolder.unseen() {
        case .none: self = .unused
        case .program(let holder): self = .possible("\(holder)", command: command(holder))
        case .processes: self = .hidden
        }
    }
}

/// The commands for a receiver that the line has not accepted yet.
struct PortWriter {
    /// The maximum number of bytes of commands, a few of the longest ones.
    static let capacity = 1024
    /// The maximum number of bytes when corrections are appended: those of four seconds. A line
    /// that is slower than its corrections gets whole frames of some of them.
    static let correctionCapacity = 4096

    private(set) var unsent: [UInt8] = []

    var isEmpty: Bool { unsent.isEmpty }

    /// Appends a command. A command that does not fit is dropped as a whole, because a partial
    /// command would be invalid.
    ///
    /// - Returns: Whether it fitted.
    mutating func append(_ command: [UInt8]) -> Bool {
        guard unsent.count + command.count <= PortWriter.correctionCapacity + PortWriter.capacity else { return false }
        unsent += command
        return true
    }

    /// Appends frames of corrections, or none of them.
    ///
    /// - Returns: Whether they fitted.
    mutating func append(corrections: [UInt8]) -> Bool {
        guard unsent.count + corrections.count <= PortWriter.correctionCapacity else { return false }
        unsent += corrections
        return true
    }

    /// Removes bytes that were written.
    mutating func removeFirst(_ count: Int) { unsent.removeFirst(min(count, unsent.count)) }
}
