import Chronology
import Locator
import Positioning

/// One receiver from the discovery of its port to its removal: the port's connection, the detection
/// of the receiver and of its baud rate, the read schedule and the driver.
///
/// The session is the only owner of what the receiver does. Others read it as ``status`` (health),
/// ``powerState`` (energy), ``driverReport`` (display) and ``mayDeferRead(at:)`` (wakeups). What
/// the receiver *should* do is the core's plan, which ``apply(_:at:)`` receives.
///
/// A value type: its inputs are events with their instants, its outputs are ``SessionAction``s.
/// It is not copyable, because a copy would retain all its parts, and its properties are used
/// several times for each read of the port.
package struct ReceiverSession: ~Copyable, Sendable {
    /// The longest time that bytes stay unread, well below the silence after which the core reports
    /// a silent receiver.
    static let maxReadInterval = Instant.Span.seconds(4.5)
    /// The delays between attempts to open a port. Where no udev daemon reports a replug, the last
    /// is the longest wait after plugging a receiver in again; it costs one failed open(2) in that
    /// time.
    static let retryDelays = (first: Instant.Span.milliseconds(250), max: Instant.Span.seconds(4))

    let settings: SessionSettings
    /// The device as of the last opening of the port.
    package private(set) var device: DeviceDescription
    /// Whether the port is known to have a receiver.
    package private(set) var isConfirmed: Bool
    package private(set) var status: PortStatus

    private var connection = PortConnection.closed(retry: nil)
    private var wasOpen = false
    private var permission = PermissionWait()
    private var backoff = ExponentialBackoff()
    private var line = OpenedLine()
    private var baudDetector: BaudRateDetector?
    private var converterDetection = ConverterDetection()
    /// What arrives while there is no NMEA.
    private var recognition: PortRecognition
    private var schedule = ReadSchedule()
    private var driver: SessionDriver
    /// The driver's report; nil without a driver.
    package private(set) var driverReport: DriverReport?
    /// The messages of the current read for the driver.
    private var messages = MessageCollector()
    private var power = PowerStateTracker()
    private var actions: [SessionAction] = []

    /// Creates a session for a port that is not open yet.
    package init(_ device: DeviceDescription, settings: SessionSettings) {
        self.device = device
        self.settings = settings
        isConfirmed = settings.isConfigured || !device.kind.requiresDetection
        status = .absent("\(device.path) is not open yet", lost: false)
        driver = SessionDriver(controlsPower: settings.controlsPower)
        recognition = PortRecognition(settings)
    }
}

// What the port and its owner need to know.
extension ReceiverSession {
    package var isOpen: Bool { connection == .open }

    /// The state that determines the receiver's current.
    package var powerState: ReceiverPowerState? { power.state }

    /// Whether the port is lost and depends on its owner to be opened again.
    package var isAwaited: Bool {
        if case .absent(_, lost: true) = status { connection == .closed(retry: nil) } else { false }
    }

    /// The baud rate in bits per second; nil while it is being detected and for ports without one.
    package var baudRate: Int? {
        isOpen && (isBaudRateKnown || baudDetector?.isHeld == true) ? line.baudRate : nil
    }

    private var isBaudRateKnown: Bool { baudDetector?.isLocked ?? true }

    /// Whether reads arrive whose timing is known: the receiver is confirmed at its baud rate.
    var isSettled: Bool { isConfirmed && isBaudRateKnown }

    /// Whether arriving bytes shall wake the reader.
    package var wakesOnData: Bool { schedule.wakesOnData }

    /// Whether all settings of this receiver are restored, as far as it can be reached.
    package var isFinished: Bool { driver.isFinished }

    /// The next instant at which the session has work to do. Then call ``tick(at:)``, read the port
    /// if ``isReadDue(at:)``, and call ``advanceDriver(at:)``.
    package var deadline: Instant? {
        var deadline = earliest(earliest(schedule.deadline, driver.deadline), baudDetector?.deadline)
        deadline = earliest(deadline, recognition.deadline)
        if !isConfirmed, isOpen { deadline = earliest(deadline, converterDetection.deadline) }
        if case .closed(let retry) = connection { deadline = earliest(deadline, retry) }
        return deadline
    }

    /// Returns and removes the requested actions.
    package mutating func takeActions() -> [SessionAction] {
        guard !actions.isEmpty else { return [] }
        defer { actions.removeAll() }
        return actions
    }
}

// Opening and closing of the port.
extension ReceiverSession {
    /// Updates the description of the device before its port is opened.
    package mutating func update(_ device: DeviceDescription) { self.device = device }

    /// Processes the opening of the port. A receiver that had no power may be given `data`.
    package mutating func opened(_ line: OpenedLine, data: SatelliteData? = nil, at now: Instant) {
        self.line = line
        connection = .open
        wasOpen = true
        permission.deviceWasOpened()
        baudDetector = line.detector
        if !isConfirmed { converterDetection = ConverterDetection() }
        messages = MessageCollector()
        recognition.begin(baudRate: line.baudRate)
        let detecting = "detecting the baud rate of \(device.path)"
        set(baudDetector == nil ? .open : .detectingBaudRate(detecting, isFirstRate: true))
        if driver.offer(data, to: device) { updateDriver { $0.portOpened(at: now) } } else { requestDriver() }
        updatePowerState()
    }

    /// Processes a failure to open the port.
    package mutating func openFailed(_ cause: OpenFailure, at now: Instant) {
        resetLine()
        connection = .closed(retry: nil)
        switch cause {
        case .notFound:
            permission.deviceIsMissing()
            // The loss is already reported, and another failed attempt does not change the text.
            if case .absent(_, lost: true) = status { break }
            set(.absent("\(device.path) does not exist; it is opened as soon as it appears", lost: wasOpen))
        case .denied(let message):
            if permission.isPending(at: now) {
                connection = .closed(retry: now + ReceiverSession.retryDelays.first)
                return updatePowerState()
            }
            set(.denied(message))
        case .busy(let message): set(.busy(message))
        case .other(let message): set(.absent(message, lost: wasOpen))
        }
        if driver.isFinishing {
            // A port that is being given back is not opened again.
            updateDriver { $0.portLost(at: now) }
            return updatePowerState()
        }
        // The system reports a discovered device that appears again.
        if cause != .notFound || settings.isConfigured { scheduleRetry(at: now) }
        updatePowerState()
    }

    /// Processes the loss of the open port, or of a device whose port was released.
    package mutating func lost(_ reason: String, at now: Instant) {
        guard isOpen || connection == .released else { return }
        permission.deviceIsMissing()
        recognition.deviceWasRemoved()
        closePort(.closed(retry: nil))
        updateDriver { $0.portLost(at: now) }
        // A port that is being given back is not opened again.
        guard !driver.isFinishing else { return }
        set(.absent("\(device.path) was lost (\(reason)); it is reopened as soon as it is available", lost: true))
        // Discovered ports are retried too: the device may be back, or was only hung up.
        scheduleRetry(at: now)
    }

    package mutating func close() { closePort(.closed(retry: nil)) }

    /// Closes a converter without GNSS NMEA, which has another device behind it. It stays closed
    /// until it is plugged in again.
    private mutating func abandon() {
        let finding = recognition.finding
        closePort(.closed(retry: nil))
        set(.closedConverter(device.path, finding))
    }

    private mutating func closePort(_ next: PortConnection) {
        actions.append(.close)
        resetLine()
        connection = next
        updatePowerState()
    }

    private mutating func resetLine() {
        baudDetector = nil
        recognition.end(isOpen: false)
        schedule.restart()
    }

    private mutating func scheduleRetry(at now: Instant) {
        let delays = ReceiverSession.retryDelays
        connection = .closed(retry: now + backoff.next(from: delays.first, max: delays.max))
    }

    private mutating func set(_ status: PortStatus?) {
        guard let status, status != self.status else { return }
        self.status = status
        actions.append(.report(isConfirmed ? .statusChanged(status) : .unconfirmedStatusChanged(status)))
    }
}

// Time.
extension ReceiverSession {
    /// Performs due work, except reading and the driver's.
    package mutating func tick(at now: Instant) {
        if case .closed(let retry?) = connection, retry <= now {
            connection = .closed(retry: nil)
            actions.append(.open)
        }
        if let deadline = baudDetector?.deadline, deadline <= now { perform(baudDetector?.tick(at: now)) }
        recognition.advance(to: now, actions: &actions)
        if !isConfirmed, isOpen, let deadline = converterDetection.deadline, deadline <= now { abandon() }
    }

    /// Returns whether the port is to be read although no byte woke the reader.
    package func isReadDue(at now: Instant) -> Bool { schedule.deadline.map { $0 <= now } ?? false }

    /// Performs the driver's due work.
    package mutating func advanceDriver(at now: Instant) {
        guard let deadline = driver.deadline, deadline <= now else { return }
        if driver.endPause() { requestDriver() }
        updateDriver { $0.advance(to: now) }
    }
}

// Reading.
extension ReceiverSession {
    /// Whether the driver needs the messages of this read. It may start to do so when the baud rate
    /// is detected.
    package var needsMessages: Bool { driver.usesInput || recognition.isNeeded(isBaudRateKnown: isBaudRateKnown) }

    /// Sets how soon received data is needed.
    package mutating func setReadPolicy(_ policy: ReadPolicy, at now: Instant) {
        if case .interval(let span) = policy {
            schedule.setPolicy(.interval(min(span, ReceiverSession.maxReadInterval)), at: now)
        } else {
            schedule.setPolicy(policy, at: now)
        }
    }

    /// Returns whether arriving bytes stay in the kernel's buffer until the burst or the answer is
    /// complete.
    package mutating func mayDeferRead(at now: Instant) -> Bool {
        guard isSettled, !recognition.isActive, !driver.needsImmediateReads else { return false }
        return schedule.shouldDeferRead(at: now, mayReceiveReplies: driver.usesInput)
    }

    /// When the first byte of the burst that is being read arrived; nil if that was not observed.
    package var burstStart: Instant? { isSettled ? schedule.burstStart : nil }

    /// Processes bytes before their sentences are decoded.
    package mutating func beginRead(_ bytes: RawSpan, at now: Instant) {
        schedule.beginRead(at: now)
        // The back-off is not reset when the port is opened, because it may be opened and lost
        // again repeatedly.
        backoff.reset()
        if needsMessages { messages.addFrames(in: bytes) }
        if recognition.isActive { recognition.receive(bytes, at: now) }
    }

    /// Adds a sentence for the driver.
    ///
    /// - Parameter body: The bytes between `$` and `*`.
    package mutating func addSentence(_ body: RawSpan) { messages.addSentence(body) }

    /// Searches the bytes of an unconfirmed port for the sentences of a receiver.
    package mutating func detectReceiver(in bytes: RawSpan, at now: Instant) -> ReadSummary {
        var collected = messages
        let needsMessages = needsMessages
        let sentences = converterDetection.receive(
            bytes, at: now, onFrame: needsMessages ? { collected.addSentence($0) } : nil)
        messages = collected
        if converterDetection.isConfirmed {
            isConfirmed = true
            actions.append(.report(.confirmed(status)))
        }
        return ReadSummary(sentences: sentences)
    }

    /// Processes the end of a read whose sentences are decoded.
    package mutating func endRead(_ count: Int, summary: ReadSummary, at now: Instant) {
        if recognition.isNeeded(isBaudRateKnown: isBaudRateKnown) {
            let read = PortRecognition.Read(device.path, count, summary, messages, isConfirmed: isConfirmed)
            let result = recognition.process(read, detector: &baudDetector, actions: &actions, at: now)
            perform(result.action)
            set(result.status)
        } else {
            perform(recognition.count(bytes: count, summary, detector: &baudDetector, at: now))
        }
        updateSchedule(count, summary: summary, at: now)
        guard driver.usesInput else { return messages.removeMessages() }
        perform(driver.receive(&messages, at: now))
    }

    /// Records that a read found no data.
    package mutating func readNothing(at now: Instant) { updateSchedule(0, summary: ReadSummary(), at: now) }

    /// Records that the idle line ended an epoch in the core, and with it the burst, without a
    /// read.
    package mutating func burstEnded(at now: Instant) {
        guard isOpen, schedule.wakesOnData else { return }
        updateSchedule(0, summary: ReadSummary(closed: 1), at: now)
    }

    package mutating func recordEpoch(hasFix: Bool, at now: Instant) {
        guard power.recordEpoch(hasFix: hasFix) else { return }
        updateDriver { $0.recordEpoch(hasFix: hasFix, at: now) }
        updatePowerState()
    }

    /// Updates the read schedule. A port that has not shown NMEA is read immediately.
    private mutating func updateSchedule(_ count: Int, summary: ReadSummary, at now: Instant) {
        guard isSettled, !recognition.isActive else { return schedule.restart() }
        schedule.read(count, closed: summary.closed, isOpen: summary.isOpen, at: now)
    }

    /// Processes the refusal of a baud rate by the line.
    package mutating func baudRateRefused(at now: Instant) { perform(baudDetector?.baudRateRefused()) }

    /// Begins a rescue, unless other programs have the device open or may have.
    package mutating func holdersFound(_ use: PortUse, at now: Instant) {
        set(recognition.holdersFound(use, on: device, actions: &actions, at: now))
        if recognition.wasRescued { updateDriver { $0.sleepControl.mustKeepSettings = true } }
    }

    private mutating func perform(_ action: BaudRateDetector.Action?) {
        switch action {
        case .setBaud(let rate):
            line.baudRate = rate
            recognition.begin(baudRate: rate)
            set(.detectingBaudRate(device.path, rate, recognition.finding))
            actions.append(.setBaudRate(rate))
        case .locked(let rate):
            line.baudRate = rate
            set(.open)
            actions.append(.report(.baudRateDetected(rate)))
            updateDriver { $0.channel.baud = rate }
            requestDriver()
        case nil: break
        }
    }
}

// The driver. It decides what to write; the port performs its actions.
extension ReceiverSession {
    /// Applies a plan of the core to the receiver, which may be told `assistance` at a start.
    package mutating func apply(_ plan: ReceiverPlan, assistance: StartAssistance? = nil, at now: Instant) {
        driver.setPlan(plan, assistance)
        if isDriverNeeded { requestDriver() } else { perform(driver.followPlan(at: now)) }
    }

    /// Creates the driver with what is known of the receiver from its messages.
    package mutating func startDriver(_ identity: ReceiverIdentity, assistance: StartAssistance?, at now: Instant) {
        guard isDriverNeeded else { return }
        driver.assistance = assistance
        var settings = DriverSettings(self.settings, device, identity, savedState: line.savedState)
        settings.baud = baudRate ?? self.settings.baudRate ?? line.savedBaudRate
        settings.mustKeepSettings = recognition.wasRescued
        perform(driver.start(settings, for: device, hasFix: power.hasFix == true, at: now))
    }

    private var isDriverNeeded: Bool {
        isOpen && driver.isNeeded(for: device, savedState: line.savedState, isReadable: isBaudRateKnown)
    }

    private mutating func requestDriver() { if isDriverNeeded { actions.append(.startDriver) } }

    /// Restores the receiver's settings. Continue until ``isFinished``.
    package mutating func finish(at now: Instant) {
        perform(driver.finish(isReachable: isOpen || connection == .released, at: now))
    }

    /// Records that the line accepted bytes of a command.
    package mutating func wrote(at now: Instant) {
        schedule.wrote()
        if let until = driver.ignoresInputUntil { schedule.ignoreInput(until: until, at: now) }
    }

    /// Stops controlling the receiver for a while: only `record` of what must be restored is saved.
    package mutating func savingFailed(keeping record: ReceiverStateRecord?, at now: Instant) {
        line.savedState = record
        driver.pause(at: now)
        if connection == .released { actions.append(.open) }
        perform([])
    }

    private mutating func updateDriver(_ event: (inout ReceiverDriver) -> Void) {
        guard driver.exists else { return }
        perform(driver.update(event))
    }

    private mutating func perform(_ driverActions: [DriverAction]) {
        for action in driverActions {
            switch action {
            case .saveState(let record):
                line.savedState = record
                actions.append(.report(.savedStateChanged(record)))
            case .write(let command): actions.append(.write(command))
            case .report(let event): actions.append(.report(event))
            // This changes no status, because the receiver is not needed and was not lost.
            case .closePort: closePort(.released)
            case .openPort: actions.append(.open)
            }
        }
        guard driver.report != driverReport else { return }
        driverReport = driver.report
        actions.append(.report(.driverReportChanged))
        updatePowerState()
    }

    private mutating func updatePowerState() {
        if power.update(isOpen: isOpen, isReleased: connection == .released, driverReport) {
            actions.append(.report(.powerStateChanged))
        }
    }
}

/// Whether a port is open, and what opens it again.
private enum PortConnection: Sendable, Equatable {
    /// Closed until the instant, or until the device appears again.
    case closed(retry: Instant?)
    /// Closed on the driver's request, because nobody needs the receiver.
    case released
    case open
}
