import Chronology
import Glibc
import Locator
import NMEA
import Receivers
import Serial
import Systemd

/// One serial port that may have a receiver behind it: opens it, hunts its speed, reads it, and opens it again when it is lost.
final class Port {
    /// What a port tells those who own it.
    struct Events {
        /// Bytes of a port that is believed; returns how many good sentences they held.
        var bytes: (Port, RawSpan, Instant) -> Int
        /// It stands differently now.
        var status: (Port, PortStatus, Instant) -> Void
        /// It has shown that a receiver is behind it.
        var proven: (Port, Instant) -> Void
        /// Its speed is known and worth remembering.
        var locked: (Port, Int) -> Void
        /// It is not known any more.
        var dropped: (Port, Instant) -> Void
    }

    /// Bytes taken at one wakeup: as many as a tty's line buffer holds.
    private static let readSize = 4096

    let id: ReceiverID
    /// As it was when the port was last opened.
    private(set) var device: DeviceDescription
    /// What clients call it; unique.
    let name: String
    /// Named by flag or configuration: waited for while absent, and believed unproven.
    let named: Settings.NamedPort?
    private(set) var isBelieved: Bool
    private(set) var status: PortStatus

    private let loop: EventLoop
    private let events: Events
    private let remembered: () -> Int?
    /// Name of another port that has this device open, by whatever path.
    private let holder: (Port) -> String?
    private var serial: SerialPort?
    private var source: IOSource?
    private var hunt: BaudHunt?
    private var proof = ConverterProof()
    private var backoff = ReconnectBackoff()
    private var retry: Instant?
    private var wasOpen = false
    private var buffer = [UInt8](repeating: 0, count: Port.readSize)

    init(
        id: ReceiverID, name: String, device: DeviceDescription, named: Settings.NamedPort?, loop: EventLoop,
        remembered: @escaping () -> Int?, holder: @escaping (Port) -> String?, events: Events
    ) {
        self.id = id
        self.device = device
        self.named = named
        self.name = name
        self.loop = loop
        self.remembered = remembered
        self.holder = holder
        self.events = events
        isBelieved = named != nil || !device.kind.needsProof
        status = .absent("\(device.path) is not open yet", lost: false)
    }

    var isOpen: Bool { serial != nil }

    /// It was open, is not there, and nothing of its own will open it again.
    var isAwaited: Bool {
        if case .absent(_, lost: true) = status { retry == nil && serial == nil } else { false }
    }

    /// Bits per second once they are known; nil while they are hunted, and for ports that have no speed.
    var speed: Int? {
        guard let serial, serial.speedMatters, hunt?.isLocked ?? true else { return nil }
        return serial.speed
    }

    /// When ``tick(at:)`` has something to do.
    var deadline: Instant? { earliest(earliest(retry, hunt?.deadline), isBelieved || serial == nil ? nil : proof.deadline) }

    /// Lets time pass: tries again, or goes on with the hunt.
    func tick(at now: Instant) {
        if let retry, retry <= now { open(at: now) }
        if let deadline = hunt?.deadline, deadline <= now { follow(hunt?.tick(at: now), at: now) }
        if !isBelieved, let deadline = proof.deadline, deadline <= now, serial != nil { leave(at: now) }
    }

    /// Opens the port, or says why not and when it will be tried again.
    func open(at now: Instant) {
        retry = nil
        if named != nil { device = DeviceRegister.describe(device.path) }
        if let holder = holder(self) {
            // Two that read one device would tear its sentences apart between them.
            setStatus(.busy("\(device.path) is open already, as the receiver \(holder)"), at: now)
            return scheduleRetry(at: now)
        }
        do {
            let serial = try SerialPort(path: device.path, speed: named?.baud)
            try begin(serial, at: now)
        } catch {
            // Half open it would hold the device against its own next attempt.
            close()
            refused(error as? SerialError, "\(error)", at: now)
        }
    }

    /// The device is said to be gone. An open port mostly knows by then; one whose driver keeps the descriptor alive would stay open for
    /// ever. Where something is at the path again, word of it has come late.
    func vanished(at now: Instant) {
        guard isOpen, access(device.path, F_OK) != 0 else { return }
        lose(.ended, at: now)
    }

    /// Closes the port for good.
    func close() {
        source?.remove()
        (source, serial, hunt, retry) = (nil, nil, nil, nil)
    }

    private func begin(_ serial: SerialPort, at now: Instant) throws {
        self.serial = serial
        if serial.speedMatters && named?.baud == nil { hunt = try startHunt(on: serial) }
        source = try loop.watch(serial.descriptor, for: .readable) { [unowned self] _ in readable() }
        if !isBelieved { proof = ConverterProof() }
        wasOpen = true
        setStatus(hunt == nil ? .open : .hunting("finding the speed of \(device.path)"), at: now)
    }

    /// A hunt at the first of its speeds that the port runs at.
    private func startHunt(on serial: SerialPort) throws -> BaudHunt {
        var hunt = BaudHunt(present: serial.speed, remembered: remembered())
        while true {
            do throws(SerialError) {
                try serial.setSpeed(hunt.speed)
                return hunt
            } catch {
                guard case .speedUnsupported = error, hunt.speedRefused() != nil else { throw error }
            }
        }
    }

    private func refused(_ error: SerialError?, _ words: String, at now: Instant) {
        switch error {
        case .notFound:
            // That it is gone has been said already; the words need not change because somebody looked again.
            if case .absent(_, lost: true) = status { break }
            setStatus(.absent("\(device.path) is not there; it is opened as soon as it appears", lost: wasOpen), at: now)
        case .permissionDenied: setStatus(.denied("sextantd may not open \(words)"), at: now)
        case .busy: setStatus(.busy("\(words); it is tried again until it is free"), at: now)
        case .notATerminal, .speedUnsupported, .system, nil: setStatus(.absent(words, lost: wasOpen), at: now)
        }
        // A named port is looked for. Of one that was discovered, and is gone, it is told when it is back.
        if case .notFound = error, named == nil { return }
        scheduleRetry(at: now)
    }

    private func scheduleRetry(at now: Instant) {
        retry = now + backoff.next()
    }

    private func setStatus(_ status: PortStatus, at now: Instant) {
        guard status != self.status else { return }
        self.status = status
        if isBelieved { events.status(self, status, now) }
    }
}

// MARK: Reading
extension Port {
    private func readable() {
        guard let serial else { return }
        let now = loop.now
        switch serial.read(into: &buffer) {
        case .bytes(let count): buffer.withUnsafeBytes { take($0.bytes.extracting(0..<count), at: now) }
        case .wouldBlock: break
        case .gone(let loss): lose(loss, at: now)
        }
    }

    private func take(_ bytes: RawSpan, at now: Instant) {
        // Not when it was opened: a port may be opened and lost again at once, over and over.
        backoff.reset()
        let sentences = isBelieved ? events.bytes(self, bytes, now) : prove(bytes, at: now)
        follow(hunt?.received(bytes: bytes.byteCount, goodSentences: sentences, at: now), at: now)
    }

    private func prove(_ bytes: RawSpan, at now: Instant) -> Int {
        let sentences = proof.take(bytes, at: now)
        guard proof.isProven else { return sentences }
        isBelieved = true
        events.proven(self, now)
        return sentences
    }

    private func follow(_ action: BaudHunt.Action?, at now: Instant) {
        switch action {
        case .setBaud(let speed):
            setStatus(.hunting("\(device.path) sends what is no NMEA at the speeds tried so far; now trying \(speed) baud"), at: now)
            do {
                try serial?.setSpeed(speed)
            } catch {
                follow(hunt?.speedRefused(), at: now)
            }
        case .locked(let speed):
            setStatus(.open, at: now)
            events.locked(self, speed)
        case nil: break
        }
    }

    private func lose(_ loss: PortLoss, at now: Instant) {
        close()
        setStatus(.absent("\(device.path) is gone (\(loss)); it is opened again as soon as it is back", lost: true), at: now)
        // Also one that was discovered: it may be back already, told of before this was seen, or may only have been hung up.
        scheduleRetry(at: now)
    }

    /// A converter that has not shown GNSS NMEA has something else behind it: it is left to others until it is plugged in again.
    private func leave(at now: Instant) {
        close()
        setStatus(.absent("\(device.path) has shown no GNSS NMEA and is left alone", lost: false), at: now)
    }
}
