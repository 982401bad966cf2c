import Chronology
import Locator
import Positioning

/// The driver of a session's receiver and the plan that it follows.
struct SessionDriver: Sendable {
    /// How long a driver is not created again if the state of its receiver could not be saved.
    private static let pause = Instant.Span.seconds(60)
    /// Whether receivers may be configured at all.
    private let controlsPower: Bool
    private var driver: ReceiverDriver?
    /// The identity of the device that the driver controls.
    private var deviceIdentity: String?
    /// When a driver may be created again that could not save its state.
    private var pauseEnd: Instant?
    /// What the receiver may be told before its first fix.
    var assistance: StartAssistance? {
        didSet { driver?.modify { $0.starts.assistance = controlsPower ? assistance : nil } }
    }
    /// What a driver that is created later gives back to the receiver.
    private var data: SatelliteData?
    /// The current plan of the core; `nil` before the first one.
    private var plan: ReceiverPlan?
    /// Whether the settings are being restored, so that no new driver is created.
    private(set) var isFinishing = false
    /// Whether the driver needs the messages of the receiver. These copies of the driver's
    /// properties are read after every line; the driver is too large to access that often.
    private(set) var usesInput = false
    private(set) var needsImmediateReads = false
    private(set) var deadline: Instant?
    /// The driver's report; `nil` without a driver.
    private(set) var report: DriverReport?

    init(controlsPower: Bool) { self.controlsPower = controlsPower }

    var exists: Bool { report != nil }

    /// Whether all settings of the receiver are restored, as far as it can be reached.
    var isFinished: Bool { driver?.isFinished ?? true }

    /// The end of the time in which received data does not matter to the driver.
    var ignoresInputUntil: Instant? { driver?.ignoresInputUntil }

    func controls(_ device: DeviceDescription) -> Bool { exists && deviceIdentity == device.identity }

    /// Passes data on to the driver, or keeps it for the one that must be created. Returns whether
    /// there is one for this device.
    mutating func offer(_ data: SatelliteData?, to device: DeviceDescription) -> Bool {
        let data = controlsPower ? data : nil
        guard controls(device) else {
            self.data = data
            return false
        }
        driver?.modify { $0.starts.data = data }
        return true
    }

    /// Returns whether a driver must be created for an open port.
    ///
    /// A driver is needed for a plan of the core, or for saved changes that an earlier run did not
    /// restore. Those are restored even without a plan; otherwise a receiver could sleep forever.
    ///
    /// - Parameter isReadable: Whether the baud rate is known, so that answers can be read.
    func isNeeded(for device: DeviceDescription, savedState: ReceiverStateRecord?, isReadable: Bool) -> Bool {
        guard !controls(device), !isFinishing || exists else { return false }
        return savedState != nil || plan != nil && controlsPower && isReadable
    }

    /// Creates the driver for a device whose port is open.
    ///
    /// - Parameter hasFix: Whether its last epoch had a fix. Only changes are reported later.
    mutating func start(
        _ settings: DriverSettings, for device: DeviceDescription, hasFix: Bool, at now: Instant
    ) -> [DriverAction] {
        driver = ReceiverDriver(settings)
        driver?.modify {
            $0.starts.assistance = controlsPower ? assistance : nil
            $0.starts.data = data
        }
        data = nil
        pauseEnd = nil
        deviceIdentity = device.identity
        let plan = controlsPower ? plan : nil
        return update {
            $0.portOpened(at: now)
            if hasFix { $0.recordEpoch(hasFix: true, at: now) }
            if let plan { $0.setPlan(plan, at: now) }
        }
    }

    /// Drops the driver for a while. The receiver stays as it is.
    mutating func pause(at now: Instant) {
        driver = nil
        pauseEnd = now + SessionDriver.pause
        _ = update { _ in }
    }

    /// Ends a pause. Returns whether there was one.
    mutating func endPause() -> Bool {
        guard driver == nil, pauseEnd != nil else { return false }
        (pauseEnd, deadline) = (nil, nil)
        return true
    }

    /// Saves a plan for ``followPlan(at:)`` or for a driver that is created later.
    mutating func setPlan(_ plan: ReceiverPlan, _ assistance: StartAssistance?) {
        (self.plan, self.assistance) = (plan, assistance)
    }

    /// Passes the plan to the driver if receivers may be configured.
    mutating func followPlan(at now: Instant) -> [DriverAction] {
        guard controlsPower, let plan else { return [] }
        return update { $0.setPlan(plan, at: now) }
    }

    /// Passes the messages of a read to the driver, which removes them.
    mutating func receive(_ messages: inout MessageCollector, at now: Instant) -> [DriverAction] {
        driver?.receive(&messages, at: now)
        return update { _ in }
    }

    /// Restores the receiver's settings, or drops the driver of a receiver that is out of reach.
    mutating func finish(isReachable: Bool, at now: Instant) -> [DriverAction] {
        isFinishing = true
        guard isReachable else {
            driver = nil
            return update { _ in }
        }
        return update { $0.finish(at: now) }
    }

    /// Passes an event to the driver in place and returns the resulting actions.
    mutating func update(_ event: (inout ReceiverDriver) -> Void) -> [DriverAction] {
        driver?.modify(event)
        usesInput = driver?.usesInput ?? false
        needsImmediateReads = driver?.needsImmediateReads ?? false
        deadline = driver == nil ? pauseEnd : driver?.deadline
        report = driver?.report
        return driver?.takeActions() ?? []
    }
}

extension DriverSettings {
    init(
        _ session: SessionSettings, _ device: DeviceDescription, _ identity: ReceiverIdentity,
        savedState: ReceiverStateRecord?
    ) {
        self.init()
        isNativeUSB = device.isNativeUSB
        isPassive = session.isPassive
        predictsOrbits = session.controlsPower && session.predictsOrbits
        keepsDatabase = session.controlsPower && session.keepsDatabase
        self.identity = identity
        self.savedState = savedState
    }
}
