import Chronology
import Delivery
import Locator
import Receivers
import Serial
import SerialLine
import Systemd

// Control of the receiver. The driver decides; the port performs its actions.
extension Port {
    /// Applies a plan of the core to the receiver.
    func apply(_ plan: ReceiverPlan, at now: Instant) {
        driving.plan = plan
        startDriver(at: now)
        if driving.power == .auto { notifyDriver(at: now) { $0.setPlan(plan, at: now) } }
    }

    /// Creates a driver when one is needed and the baud rate is known, or notifies an existing
    /// driver of the open port.
    ///
    /// A driver is needed for a plan of the core, or for saved changes that an earlier run did not
    /// restore. Those are restored even without a plan; otherwise a receiver could sleep forever.
    func startDriver(at now: Instant) {
        guard serial != nil, !driving.isShuttingDown || driving.hasDriver else { return }
        if driving.hasDriver, driving.identity == device.identity {
            guard !driving.hasReportedOpen else { return }
            driving.hasReportedOpen = true
            return notifyDriver(at: now) { $0.portOpened(at: now) }
        }
        let memory = savedState.receiver()
        let isPlanned = driving.plan != nil && driving.power == .auto && hunt?.isLocked ?? true
        guard memory != nil || isPlanned else { return }
        var settings = DriverSettings()
        settings.isPassive = named?.passive ?? false
        settings.isNativeUSB = device.kind == .receiver && device.usb != nil
        settings.baud = speed ?? named?.baud ?? savedState.speed()
        settings.identity = events.evidence(self)
        settings.savedState = memory
        driving.set(ReceiverDriver(settings))
        (driving.identity, driving.hasReportedOpen) = (device.identity, true)
        let plan = driving.power == .auto ? driving.plan : nil
        notifyDriver(at: now) {
            $0.portOpened(at: now)
            if let plan { $0.setPlan(plan, at: now) }
        }
    }

    /// Restores the receiver's settings. Continue to call ``tick(at:)`` until ``isFinished``.
    func finish(at now: Instant) {
        driving.isShuttingDown = true
        guard isOpen || driving.isClosedByDriver else { return driving.set(nil) }
        notifyDriver(at: now) { $0.finish(at: now) }
    }

    /// Whether all settings of this receiver are restored, as far as it can be reached.
    var isFinished: Bool { driving.driver?.isFinished ?? true && !driving.hasUnsent }

    /// Passes an event to the driver and performs the resulting actions. The closure may access
    /// only the driver.
    func notifyDriver(at now: Instant, _ event: (inout ReceiverDriver) -> Void) {
        guard driving.hasDriver else { return }
        for action in driving.note(event) { carryOut(action, at: now) }
        guard let report = driving.report, report != driving.publishedReport else { return }
        driving.publishedReport = report
        events.driven(self)
    }

    private func carryOut(_ action: DriverAction, at now: Instant) {
        switch action {
        case .saveState(let memory): events.remember(self, memory)
        case .write(let bytes): write(bytes, at: now)
        case .closePort:
            // This publishes no status, because the receiver is not needed and was not lost.
            close()
            (driving.isClosedByDriver, driving.hasReportedOpen) = (true, false)
        case .openPort: if !isOpen { open(at: now) }
        }
    }

    private func write(_ bytes: [UInt8], at now: Instant) {
        guard isOpen, driving.queue(bytes) else { return }
        writeUnsent(at: now)
    }

    /// Writes as many queued bytes as the line accepts. The rest follows when there is space.
    func writeUnsent(at now: Instant) {
        guard let serial, driving.hasUnsent else { return }
        switch serial.write(driving.waiting) {
        case .wrote(let count):
            driving.sent(count)
            schedule.wrote()
            if let until = driving.driver?.ignoresInputUntil { schedule.ignoreInput(until: until, at: now) }
        case .wouldBlock: break
        // The port was opened for reading only. The driver detects by itself that the receiver does
        // not respond.
        case .refused: driving.sent(.max)
        // Do not close the port here, because the caller still uses it. The next read reports the
        // loss.
        case .gone: driving.sent(.max)
        }
        watchAgain()
    }
}
