import Chronology
import Devices
import Glibc
import Locator
import NMEA
import Positioning
import Receivers
import Serial
import SerialLine
import Systemd

/// A serial port that may have a receiver. It opens the port, detects the baud rate, reads data,
/// controls the receiver and reopens a lost port.
final class Port {
    /// Callbacks from a port to its owner.
    struct Events {
        /// Bytes of a confirmed port arrived. Returns the result of their processing.
        var bytes: (Port, RawSpan, Instant) -> ReadSummary
        /// The status of a confirmed port changed.
        var status: (Port, PortStatus, Instant) -> Void
        /// The status of an unconfirmed port changed. This is useful to a user who expects a
        /// receiver there.
        var aside: (Port) -> Void = { _ in }
        /// The port was confirmed to have a receiver.
        var confirmed: (Port, Instant) -> Void
        /// The baud rate was detected and can be saved.
        var locked: (Port, Int) -> Void
        /// Saves or deletes the changes made to the receiver, before further changes are made.
        var remember: (Port, ReceiverStateRecord?) -> Void
        /// Returns what is known of the receiver from its messages.
        var evidence: (Port) -> ReceiverIdentity
        /// The driver's report changed.
        var driven: (Port) -> Void
        /// The port was removed.
        var dropped: (Port, Instant) -> Void
    }

    /// Saved data about the device.
    struct SavedState {
        /// The last detected baud rate.
        var speed: () -> Int?
        /// The changes made to the receiver and not yet restored.
        var receiver: () -> ReceiverStateRecord?
    }

    /// The maximum number of bytes per read, the size of a tty's line buffer.
    static let readSize = 4096

    let id: ReceiverID
    /// The device as of the last opening of the port.
    private(set) var device: DeviceDescription
    /// The unique name shown to clients.
    let name: String
    /// The configuration of a port named by flag or file. Such a port is awaited while absent and
    /// needs no confirmation.
    let named: Settings.NamedPort?
    var isConfirmed: Bool
    private(set) var status: PortStatus

    let loop: EventLoop
    let events: Events
    let savedState: SavedState
    /// Returns the name of another port that has this device open, by any path.
    private let holder: (Port) -> String?
    var serial: SerialPort?
    var source: IOSource?
    var hunt: BaudRateDetector?
    var proof = ConverterDetection()
    /// The delay before the next attempt to open the port. The first delay is 0.25 s, because udev
    /// sets a device's permissions a moment after it appears. Where no udev daemon reports a
    /// replug, 4 s is the longest wait after plugging a receiver in again. It costs one failed
    /// open(2) in that time.
    var backoff = ExponentialBackoff()
    private var retry: Instant?
    private var wasOpen = false
    var buffer = [UInt8](repeating: 0, count: Port.readSize)
    /// The read schedule. The core sets its pace.
    var schedule = ReadSchedule()
    /// The receiver's driver and its state.
    var driving: DriverBinding
    /// The messages of the current read for the driver.
    var input = MessageCollector()

    init(
        id: ReceiverID, name: String, device: DeviceDescription, named: Settings.NamedPort?, loop: EventLoop,
        remembered: SavedState, power: Settings.Power, holder: @escaping (Port) -> String?, events: Events
    ) {
        self.id = id
        self.device = device
        self.named = named
        self.name = name
        self.loop = loop
        self.savedState = remembered
        self.holder = holder
        self.events = events
        driving = DriverBinding(power)
        isConfirmed = named != nil || !device.kind.requiresDetection
        status = .absent("\(device.path) is not open yet", lost: false)
    }

    var isOpen: Bool { serial != nil }

    /// Whether the port was lost and depends on its owner to be opened again.
    var isAwaited: Bool {
        if case .absent(_, lost: true) = status { retry == nil && serial == nil } else { false }
    }

    /// The baud rate; `nil` while it is being detected and for ports without one.
    var speed: Int? {
        guard let serial, serial.hasBaudRate, hunt?.isLocked ?? true else { return nil }
        return serial.speed
    }

    /// The next instant for ``tick(at:)``.
    var deadline: Instant? {
        let proving = isConfirmed || serial == nil ? nil : proof.deadline
        return earliest(
            earliest(earliest(retry, hunt?.deadline), proving), earliest(schedule.deadline, driving.deadline))
    }

    /// Performs due work: retries the opening, continues the baud rate detection, reads and
    /// advances the driver.
    func tick(at now: Instant) {
        if let retry, retry <= now { open(at: now) }
        if let deadline = hunt?.deadline, deadline <= now { follow(hunt?.tick(at: now), at: now) }
        if !isConfirmed, let deadline = proof.deadline, deadline <= now, serial != nil { abandon(at: now) }
        if let deadline = schedule.deadline, deadline <= now { readable(at: now) }
        notifyDriver(at: now) { $0.advance(to: now) }
    }

    /// Opens the port. On failure, sets the status and schedules a retry.
    func open(at now: Instant) {
        retry = nil
        if named != nil { device = DeviceEnumerator.describe(device.path) }
        if let holder = holder(self) {
            // Two readers of one device would each get only parts of the sentences.
            setStatus(
                .busy("\(device.path) is already open as the receiver \(holder); configure it only once"), at: now)
            return scheduleRetry(at: now)
        }
        do {
            let serial = try SerialPort(path: device.path, speed: named?.baud)
            try begin(serial, at: now)
        } catch {
            // A half-open port would block its own next attempt.
            close()
            refused(error as? SerialError, "\(error)", at: now)
        }
    }

    /// Handles the report that the device was removed. Most open ports have detected this already,
    /// but some kernel drivers keep the descriptor valid. If the path exists again, the report is
    /// outdated.
    func deviceWasRemoved(at now: Instant) {
        guard isOpen || driving.isClosedByDriver, access(device.path, F_OK) != 0 else { return }
        handleLoss(.ended, at: now)
    }

    /// Closes the port.
    func close() {
        source?.remove()
        source = nil
        serial = nil
        hunt = nil
        retry = nil
        schedule.restart()
        driving.forgetUnsent()
    }

    private func begin(_ serial: SerialPort, at now: Instant) throws {
        self.serial = serial
        if serial.hasBaudRate && named?.baud == nil { hunt = try startHunt(on: serial) }
        source = try loop.watch(serial.descriptor, for: .readable) { [unowned self] in ready($0, at: loop.now) }
        if !isConfirmed { proof = ConverterDetection() }
        input = MessageCollector()
        wasOpen = true
        driving.isClosedByDriver = false
        setStatus(hunt == nil ? .open : .detectingBaudRate("detecting the baud rate of \(device.path)"), at: now)
        startDriver(at: now)
    }

    /// Starts detection at the first baud rate that the port supports.
    private func startHunt(on serial: SerialPort) throws -> BaudRateDetector {
        var hunt = BaudRateDetector(present: serial.speed, remembered: savedState.speed())
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
            // The loss is already reported, and another failed attempt does not change the text.
            if case .absent(_, lost: true) = status { break }
            setStatus(
                .absent("\(device.path) does not exist; it is opened as soon as it appears", lost: wasOpen), at: now)
        case .permissionDenied, .deniedByDeviceFilter: setStatus(.denied("sextantd cannot open \(words)"), at: now)
        case .busy(_, let holders):
            // A sandboxed service cannot see other users' descriptors.
            let hint = holders.isEmpty ? "; sudo sextant doctor shows which process uses it" : ""
            setStatus(.busy("\(words)\(hint); retrying until it is free"), at: now)
        case .notATerminal, .speedUnsupported, .system, nil: setStatus(.absent(words, lost: wasOpen), at: now)
        }
        // A named port is retried. A discovered port that is gone is opened when the system reports
        // it again.
        if case .notFound = error, named == nil { return }
        scheduleRetry(at: now)
    }

    func scheduleRetry(at now: Instant) {
        retry = now + backoff.next(from: .milliseconds(250), max: .seconds(4))
    }

    func setStatus(_ status: PortStatus, at now: Instant) {
        guard status != self.status else { return }
        self.status = status
        if isConfirmed { events.status(self, status, now) } else { events.aside(self) }
    }
}
