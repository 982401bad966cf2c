import CLinux
import Chronology
import Delivery
import Glibc
import Locator
import Receivers
import Serial
import Systemd
import Testing

@testable import ReceiverSimulator
@testable import sextantd

/// A real port on a real pseudo-terminal with an obedient receiver at its other end, in simulated time.
final class PortStage {
    private var terminal: PseudoTerminal
    private var receiver: VirtualReceiver
    private let loop: EventLoop
    private let baud: Int
    private let isPassive: Bool
    private var power: Settings.Power
    private(set) lazy var port = begin()
    private var locator = Locator()
    private var effects: [Effect] = []
    private var unread = 0
    private(set) var now = Instant.zero
    /// What the state directory would hold.
    private(set) var memory: ReceiverMemory?
    /// Times that bytes or a deadline would have woken the daemon, and epochs that were closed.
    private(set) var (wakeups, epochs) = (0, 0)
    private(set) var written: [[UInt8]] = []
    private(set) var statuses: [PortStatus] = []
    /// For each epoch, from its last byte to its end.
    private(set) var delays: [Instant.Span] = []
    private var lastSent = Instant.zero

    init(baud: Int = 115_200, isPassive: Bool = false, manner: CommandManner = .obey, power: Settings.Power = .auto) throws {
        var options = SimulatorOptions()
        (options.receiver, options.baud, options.manner) = (.ublox8, baud, manner)
        receiver = try options.receiver(origin: .zero)
        terminal = try PseudoTerminal.open(baud: baud)
        loop = try EventLoop()
        (self.baud, self.isPassive, self.power) = (baud, isPassive, power)
        _ = port
    }

    deinit { port.close() }

    /// The program dies and another begins with what the state directory holds.
    func crash(power: Settings.Power = .auto) {
        port.close()
        self.power = power
        port = begin()
    }

    private func begin() -> Port {
        locator = Locator()
        let path = terminal.path
        let events = Port.Events(
            bytes: { [unowned self] port, bytes, now in locator.receive(bytes, from: port.id, at: now, into: &effects) },
            status: { [unowned self] port, status, now in
                statuses.append(status)
                locator.set(status, of: port.id, at: now, into: &effects)
            }, proven: { _, _ in }, locked: { _, _ in }, remember: { [unowned self] in memory = $1 },
            evidence: { _ in ReceiverEvidence() }, driven: { _ in }, dropped: { _, _ in })
        let port = Port(
            id: ReceiverID(0), name: "gps", device: DeviceDescription(path: path),
            named: Settings.NamedPort(device: path, baud: baud, passive: isPassive), loop: loop,
            remembered: Port.Remembered(speed: { nil }, receiver: { [unowned self] in memory }), power: power, holder: { _ in nil },
            events: events)
        locator.attach(port.id, name: "gps", port: path, status: port.status, at: now, into: &effects)
        unread = 0
        port.open(at: now)
        return port
    }

    func follow(_ plan: ReceiverPlan) {
        port.follow(plan, at: now)
        listen()
    }

    func finish() {
        port.finish(at: now)
        listen()
    }

    /// Lets time pass, event by event.
    func wait(_ seconds: Double) throws {
        let end = now + .seconds(seconds)
        while let next = earliest(earliest(receiver.deadline, locator.deadline()), port.deadline), next <= end {
            now = max(now, next)
            try turn()
        }
        now = end
    }

    /// How often it wakes for each epoch over the next `seconds`.
    func wakeupsPerEpoch(_ seconds: Double) throws -> Double {
        let before = (wakeups, epochs)
        delays.removeAll()
        try wait(seconds)
        return Double(wakeups - before.0) / Double(max(1, epochs - before.1))
    }

    private func turn() throws {
        var isWoken = false
        for chunk in receiver.bytes(until: now) {
            terminal.send(chunk.bytes)
            lastSent = now
            // Bytes that come while nobody has the port open are gone.
            if port.isOpen { unread += chunk.bytes.count }
        }
        try arrive()
        if unread > 0, port.isOpen, port.schedule.watches {
            isWoken = true
            port.ready(.readable, at: now)
            unread = 0
        }
        if let deadline = earliest(port.deadline, locator.deadline()), deadline <= now {
            isWoken = true
            if let read = port.schedule.deadline, read <= now { unread = 0 }
            port.tick(at: now)
            locator.tick(at: now, into: &effects)
        }
        if isWoken { wakeups += 1 }
        for effect in effects { if case .epoch = effect { (epochs, delays) = (epochs + 1, delays + [now - lastSent]) } }
        effects.removeAll()
        listen()
    }

    /// The kernel hands bytes over in its own time.
    private func arrive() throws {
        guard unread > 0, let descriptor = port.serial?.descriptor else { return unread = 0 }
        try waitUntil("\(unread) bytes in the line's buffer") {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && Int(count) >= unread
        }
    }

    private func listen() {
        guard port.driving.driver != nil else { return }
        _ = waitReadable(terminal.master, within: .milliseconds(1))
        let bytes = terminal.received()
        guard !bytes.isEmpty else { return }
        written.append(bytes)
        receiver.hear(bytes, at: now)
    }

    /// What the receiver draws; nil where it keeps no books.
    var draw: PowerState? { receiver.meter?.state }
}
