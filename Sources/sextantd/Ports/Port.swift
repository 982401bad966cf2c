import Chronology
import Glibc
import Locator
import NMEA
import Receivers
import Serial
import Systemd

/// One serial port that may have a receiver behind it: opens it, hunts its speed, reads and drives it, and opens it again
/// when it is lost.
final class Port {
    /// What a port tells those who own it.
    struct Events {
        /// Bytes of a port that is believed; returns what came of them.
        var bytes: (Port, RawSpan, Instant) -> Reception
        /// It stands differently now.
        var status: (Port, PortStatus, Instant) -> Void
        /// It has not shown what it is, and stands differently now: of interest to whoever waits for a receiver behind it.
        var aside: (Port) -> Void = { _ in }
        /// It has shown that a receiver is behind it.
        var proven: (Port, Instant) -> Void
        /// Its speed is known and worth remembering.
        var locked: (Port, Int) -> Void
        /// What has been done to its receiver is to be kept, or forgotten, before more is done.
        var remember: (Port, ReceiverMemory?) -> Void
        /// What its receiver has told of itself.
        var evidence: (Port) -> ReceiverEvidence
        /// It says something else of its receiver than before.
        var driven: (Port) -> Void
        /// It is not known any more.
        var dropped: (Port, Instant) -> Void
    }

    /// What is known of the device from earlier times.
    struct Remembered {
        /// Bits per second it was last understood at.
        var speed: () -> Int?
        /// What was done to its receiver and not taken back.
        var receiver: () -> ReceiverMemory?
    }

    /// Bytes taken at one wakeup: as many as a tty's line buffer holds.
    static let readSize = 4096

    let id: ReceiverID
    /// As it was when the port was last opened.
    private(set) var device: DeviceDescription
    /// What clients call it; unique.
    let name: String
    /// Named by flag or configuration: waited for while absent, and believed unproven.
    let named: Settings.NamedPort?
    var isBelieved: Bool
    private(set) var status: PortStatus

    let loop: EventLoop
    let events: Events
    let remembered: Remembered
    /// Name of another port that has this device open, by whatever path.
    private let holder: (Port) -> String?
    var serial: SerialPort?
    var source: IOSource?
    var hunt: BaudHunt?
    var proof = ConverterProof()
    var backoff = ReconnectBackoff()
    private var retry: Instant?
    private var wasOpen = false
    var buffer = [UInt8](repeating: 0, count: Port.readSize)
    /// When it is read; the core says how soon its bytes are wanted.
    var schedule = ReadSchedule()
    /// Makes the receiver do what the core plans.
    var driving: Driving

    init(
        id: ReceiverID, name: String, device: DeviceDescription, named: Settings.NamedPort?, loop: EventLoop,
        remembered: Remembered, power: Settings.Power, holder: @escaping (Port) -> String?, events: Events
    ) {
        self.id = id
        self.device = device
        self.named = named
        self.name = name
        self.loop = loop
        self.remembered = remembered
        self.holder = holder
        self.events = events
        driving = Driving(power)
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
    var deadline: Instant? {
        let proving = isBelieved || serial == nil ? nil : proof.deadline
        return earliest(earliest(earliest(retry, hunt?.deadline), proving), earliest(schedule.deadline, driving.deadline))
    }

    /// Lets time pass: tries again, or goes on with the hunt.
    func tick(at now: Instant) {
        if let retry, retry <= now { open(at: now) }
        if let deadline = hunt?.deadline, deadline <= now { follow(hunt?.tick(at: now), at: now) }
        if !isBelieved, let deadline = proof.deadline, deadline <= now, serial != nil { leave(at: now) }
        if let deadline = schedule.deadline, deadline <= now { readable(at: now) }
        drive(at: now) { $0.advance(to: now) }
    }

    /// Opens the port, or says why not and when it will be tried again.
    func open(at now: Instant) {
        retry = nil
        if named != nil { device = DeviceRegister.describe(device.path) }
        if let holder = holder(self) {
            // Two that read one device would tear its sentences apart between them.
            setStatus(.busy("\(device.path) is open already, as the receiver \(holder); name it once"), at: now)
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
        guard isOpen || driving.isClosed, access(device.path, F_OK) != 0 else { return }
        lose(.ended, at: now)
    }

    /// Closes the port for good.
    func close() {
        source?.remove()
        (source, serial, hunt, retry) = (nil, nil, nil, nil)
        schedule.restart()
        driving.forgetUnsent()
    }

    private func begin(_ serial: SerialPort, at now: Instant) throws {
        self.serial = serial
        if serial.speedMatters && named?.baud == nil { hunt = try startHunt(on: serial) }
        source = try loop.watch(serial.descriptor, for: .readable) { [unowned self] in ready($0, at: loop.now) }
        if !isBelieved { proof = ConverterProof() }
        wasOpen = true
        driving.isClosed = false
        setStatus(hunt == nil ? .open : .hunting("finding the speed of \(device.path)"), at: now)
        beginDriving(at: now)
    }

    /// A hunt at the first of its speeds that the port runs at.
    private func startHunt(on serial: SerialPort) throws -> BaudHunt {
        var hunt = BaudHunt(present: serial.speed, remembered: remembered.speed())
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
        case .permissionDenied, .filtered: setStatus(.denied("sextantd may not open \(words)"), at: now)
        case .busy(_, let holders):
            // A hardened service sees nobody else's descriptors.
            let hint = holders.isEmpty ? "; sudo sextant doctor says by whom" : ""
            setStatus(.busy("\(words)\(hint); it is tried again until it is free"), at: now)
        case .notATerminal, .speedUnsupported, .system, nil: setStatus(.absent(words, lost: wasOpen), at: now)
        }
        // A named port is looked for. Of one that was discovered, and is gone, it is told when it is back.
        if case .notFound = error, named == nil { return }
        scheduleRetry(at: now)
    }

    func scheduleRetry(at now: Instant) {
        retry = now + backoff.next()
    }

    func setStatus(_ status: PortStatus, at now: Instant) {
        guard status != self.status else { return }
        self.status = status
        if isBelieved { events.status(self, status, now) } else { events.aside(self) }
    }
}
