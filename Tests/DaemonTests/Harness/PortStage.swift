import CLinux
import Chronology
import Glibc
import Locator
import Positioning
import Receivers
import ServiceRuntime
import Simulator
import Testing

@testable import Simulator
@testable import sextantd

/// A real port on a real pseudo-terminal with a simulated, commandable receiver at its other end,
/// in simulated time.
final class PortStage {
    private var terminal: PseudoTerminal
    private var receiver: VirtualReceiver
    private let loop: EventLoop
    private let baud: Int
    private let isPassive: Bool
    private var power: Settings.Power
    private(set) lazy var port = begin()
    private var locator = Locator()
    /// The number of bytes that were sent and not read.
    private var unread = 0
    private(set) var now = Instant.zero
    /// Whether the state directory can be written.
    var canSave = true
    /// The receiver state that the state directory would contain.
    var memory: ReceiverStateRecord?
    /// How often bytes or a deadline would have woken the daemon, and how many epochs were
    /// completed.
    private(set) var wakeups = 0
    private(set) var epochs = 0
    private(set) var written: [[UInt8]] = []
    private(set) var statuses: [PortStatus] = []
    /// What the receiver may be told before its first fix, and its starts.
    var assistance: StartAssistance?
    var satelliteData: SatelliteData?
    private(set) var starts: [ReceiverStart] = []
    /// For each epoch, the time from its last byte to its completion.
    private(set) var delays: [Instant.Span] = []
    private var lastSent = Instant.zero
    /// When the first byte of each burst was sent, and when that was observed.
    private(set) var burstStarts: Set<Instant> = []
    private(set) var observedStarts: [Instant] = []

    init(
        baud: Int = 115_200, isPassive: Bool = false, manner: CommandBehavior = .normal,
        power: Settings.Power = .auto, isCold: Bool = false
    ) throws {
        var options = SimulatorOptions()
        options.receiver = .ublox8
        options.baud = baud
        options.commandBehavior = manner
        options.coldStart = isCold
        receiver = try options.receiver(origin: .zero)
        terminal = try PseudoTerminal.open(baud: baud)
        loop = try EventLoop()
        self.baud = baud
        self.isPassive = isPassive
        self.power = power
        _ = port
    }

    deinit { port.close(at: now) }

    /// Simulates a crash: a new program starts with the contents of the state directory.
    func crash(power: Settings.Power = .auto) {
        port.close(at: now)
        self.power = power
        port = begin()
    }

    private func begin() -> Port {
        locator = Locator()
        let path = terminal.path
        let port = Port(
            id: ReceiverID(0), name: "gps", device: DeviceDescription(path: path),
            named: Settings.NamedPort(device: path, baud: baud, passive: isPassive), loop: loop, power: power,
            assistance: Settings.Assistance(), delegate: self)
        locator.attach(port.id, name: "gps", port: path, status: port.session.status, at: now)
        unread = 0
        port.open(at: now)
        return port
    }

    func follow(_ plan: ReceiverPlan) {
        port.apply(plan, at: now)
        listen()
    }

    func finish() {
        port.finish(at: now)
        listen()
    }

    /// Advances the time event by event.
    func wait(_ seconds: Double) throws {
        let end = now + .seconds(seconds)
        while let next = earliest(earliest(receiver.deadline, locator.deadline()), port.session.deadline), next <= end {
            now = max(now, next)
            try turn()
        }
        now = end
    }

    /// Returns the wakeups per epoch over the next `seconds`.
    func wakeupsPerEpoch(_ seconds: Double) throws -> Double {
        let before = (wakeups, epochs)
        delays.removeAll()
        try wait(seconds)
        return Double(wakeups - before.0) / Double(max(1, epochs - before.1))
    }

    func clearBurstStarts() {
        burstStarts = []
        observedStarts = []
    }

    private func turn() throws {
        var isWoken = false
        for chunk in receiver.bytes(until: now) {
            terminal.send(chunk.bytes)
            if now - lastSent >= .milliseconds(80) { burstStarts.insert(now) }
            lastSent = now
            // Bytes sent while the port is closed are lost.
            if port.isOpen { unread += chunk.bytes.count }
        }
        try arrive()
        if unread > 0, port.isOpen, port.session.wakesOnData {
            isWoken = true
            port.ready(.readable, at: now)
            unread = bytesInKernel
        }
        if let deadline = earliest(port.session.deadline, locator.deadline()), deadline <= now {
            isWoken = true
            port.tick(at: now)
            unread = bytesInKernel
            locator.tick(at: now)
        }
        if isWoken { wakeups += 1 }
        for case .receiver(.epoch(_, let fix)) in locator.takeEffects() {
            epochs += 1
            delays.append(now - lastSent)
            port.recordEpoch(hasFix: fix.coordinate != nil, at: now)
        }
        listen()
    }

    /// Waits until the kernel has delivered the sent bytes, with those that the port left there.
    private func arrive() throws {
        guard unread > 0, port.isOpen else { return unread = 0 }
        try waitUntil("\(unread) bytes in the line's buffer") { bytesInKernel >= unread }
    }

    /// The number of bytes that the port has not read.
    private var bytesInKernel: Int {
        var count: Int32 = 0
        guard let descriptor = port.descriptor, ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }

    private func listen() {
        guard port.session.driverReport != nil else { return }
        _ = waitReadable(terminal.master, within: .milliseconds(1))
        let bytes = terminal.received()
        guard !bytes.isEmpty else { return }
        written.append(bytes)
        receiver.process(bytes, at: now)
    }

    /// The power state of the receiver; nil if it does not meter its energy.
    var draw: ReceiverPowerState? { receiver.meter?.state }
}

extension PortStage: PortDelegate {
    func receive(_ bytes: RawSpan, from port: Port, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> ReadSummary {
        if let start = port.session.burstStart, start != observedStarts.last { observedStarts.append(start) }
        return locator.receive(bytes, from: port.id, at: now, onFrame: onFrame).summary
    }

    func handle(_ event: SessionEvent, of port: Port, at now: Instant) {
        switch event {
        case .statusChanged(let status):
            statuses.append(status)
            locator.set(status, of: port.id, at: now)
        case .savedStateChanged(let record):
            guard canSave else { return port.savingFailed(keeping: memory, at: now) }
            memory = record
        case .started(let start): starts.append(start)
        default: break
        }
    }

    func identity(of port: Port) -> ReceiverIdentity { ReceiverIdentity() }
    func satelliteData(for port: Port, at now: Instant) -> SatelliteData? { satelliteData }
    func savedBaudRate(of port: Port) -> Int? { nil }
    func savedState(of port: Port) -> ReceiverStateRecord? { memory }
    func holder(of port: Port) -> String? { nil }
}

/// The owner of a port of which only the events matter.
final class PortRecorder: PortDelegate {
    private(set) var events: [SessionEvent] = []
    /// Called when the port has opened its device and asks for its baud rate.
    var onOpening: () -> Void = {}
    private(set) var isOpened = false

    func receive(_ bytes: RawSpan, from port: Port, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> ReadSummary {
        ReadSummary()
    }

    func handle(_ event: SessionEvent, of port: Port, at now: Instant) { events.append(event) }
    func identity(of port: Port) -> ReceiverIdentity { ReceiverIdentity() }
    var assistance: StartAssistance? { nil }
    func satelliteData(for port: Port, at now: Instant) -> SatelliteData? { nil }
    func savedBaudRate(of port: Port) -> Int? {
        isOpened = true
        onOpening()
        return nil
    }
    func savedState(of port: Port) -> ReceiverStateRecord? { nil }
    func holder(of port: Port) -> String? { nil }
}
