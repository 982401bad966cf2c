import Chronology
import Delivery
import Locator
import Receivers
import Serial
import Systemd

// What a receiver is told. The driver decides; the port carries out.
extension Port {
    /// The core says what this receiver is to do.
    func follow(_ plan: ReceiverPlan, at now: Instant) {
        driving.plan = plan
        beginDriving(at: now)
        if driving.power == .auto { drive(at: now) { $0.follow(plan, at: now) } }
    }

    /// Makes a driver as soon as there is a reason for one and it is known at what speed to write; tells the one there is of the port.
    ///
    /// Reasons are a plan of the core, and a memory of what an earlier run has not taken back: that is put right even where nothing is
    /// planned, or a receiver would sleep for ever.
    func beginDriving(at now: Instant) {
        guard serial != nil, !driving.isEnding || driving.hasDriver else { return }
        if driving.hasDriver, driving.identity == device.identity {
            guard !driving.knowsOpen else { return }
            driving.knowsOpen = true
            return drive(at: now) { $0.opened(at: now) }
        }
        let memory = remembered.receiver()
        let isPlanned = driving.plan != nil && driving.power == .auto && hunt?.isLocked ?? true
        guard memory != nil || isPlanned else { return }
        var settings = ReceiverDriver.Settings()
        settings.isPassive = named?.passive ?? false
        settings.isNativeUSB = device.kind == .receiver && device.usb != nil
        settings.baud = speed ?? named?.baud ?? remembered.speed()
        settings.evidence = events.evidence(self)
        settings.memory = memory
        driving.set(ReceiverDriver(settings))
        (driving.identity, driving.knowsOpen) = (device.identity, true)
        let plan = driving.power == .auto ? driving.plan : nil
        drive(at: now) {
            $0.opened(at: now)
            if let plan { $0.follow(plan, at: now) }
        }
    }

    /// Takes back what was set. Go on with ``tick(at:)`` until ``isFinished``.
    func finish(at now: Instant) {
        driving.isEnding = true
        guard isOpen || driving.isClosed else { return driving.set(nil) }
        drive(at: now) { $0.finish(at: now) }
    }

    /// Whether nothing of this receiver's settings is left to take back, as far as it can be reached.
    var isFinished: Bool { driving.driver?.isFinished ?? true && !driving.hasUnsent }

    /// Lets the driver take note of something, and does what it then wants. The event may look at nothing but the driver.
    func drive(at now: Instant, _ event: (inout ReceiverDriver) -> Void) {
        guard driving.hasDriver else { return }
        for action in driving.note(event) { carryOut(action, at: now) }
        guard let report = driving.report, report != driving.told else { return }
        driving.told = report
        events.driven(self)
    }

    private func carryOut(_ action: DriverAction, at now: Instant) {
        switch action {
        case .remember(let memory): events.remember(self, memory)
        case .write(let bytes): write(bytes, at: now)
        case .closePort:
            // Nobody is told: the receiver is not lost, it is not needed.
            close()
            (driving.isClosed, driving.knowsOpen) = (true, false)
        case .openPort: if !isOpen { open(at: now) }
        }
    }

    private func write(_ bytes: [UInt8], at now: Instant) {
        guard isOpen, driving.queue(bytes) else { return }
        writeUnsent(at: now)
    }

    /// Writes what the line takes; the rest when there is room.
    func writeUnsent(at now: Instant) {
        guard let serial, driving.hasUnsent else { return }
        switch serial.write(driving.waiting) {
        case .wrote(let count):
            driving.sent(count)
            schedule.wrote()
            if let until = driving.driver?.passesOver { schedule.passOver(until: until, at: now) }
        case .wouldBlock: break
        // Opened for reading only: the driver finds by itself that nobody hears it.
        case .refused: driving.sent(.max)
        // The next read says how; to lose the port here would pull the ground from under whoever writes.
        case .gone: driving.sent(.max)
        }
        watchAgain()
    }
}
