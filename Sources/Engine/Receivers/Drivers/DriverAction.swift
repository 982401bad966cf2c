import Chronology
import Locator

@_exported import enum SextantAPI.DriverActivity

/// An action that a driver requests for its port. Actions are performed in order.
package enum DriverAction: Sendable, Equatable {
    /// Save in the state directory what was changed in this receiver, before the following actions;
    /// nil if no change is left. ``DriverSettings/savedState`` returns it to the driver after
    /// a crash.
    case saveState(ReceiverStateRecord?)
    /// Write these bytes.
    case write([UInt8])
    /// Close the port: the receiver is not needed and cannot be put to sleep.
    case closePort
    /// Report a change to the owner of the port.
    case report(SessionEvent)
    /// Reopen the port, then call ``ReceiverDriver/portOpened(at:)``.
    case openPort
}

/// The part of the driver that is at work.
enum ReceiverDriverStage: Sendable {
    /// The port is not open, for a reason other than this driver's actions.
    case absent
    /// ``identification`` is at work.
    case identification
    /// The receiver works; ``configurator`` may be at work.
    case operation
    /// ``database`` is read before the receiver is put to sleep.
    case readingDatabase
    /// ``sleepControl`` puts the receiver to sleep, observes its sleep, or wakes it.
    case sleep
    /// The port is closed because nobody needs the data.
    case closed
    /// The driver has requested to reopen the port.
    case reopening
    /// The driver has requested to reopen the port to restore all settings.
    case reopeningToFinish
    /// The driver restores all settings. The receiver needs until the instant to process the
    /// wake byte, if one was written. The record of a receiver that was being identified stays,
    /// since nothing shows that it woke.
    case finishing(after: Instant, keepsRecord: Bool)
    /// The driver has no more actions.
    case finished
}

/// The plan for a receiver, and the part of it that applies now.
struct DriverPlan: Sendable {
    /// The shortest sleep that is worth its commands.
    private static let minSleep = Instant.Span.seconds(5)

    private var plan = ReceiverPlan.run(RunPlan())
    /// The last plan for a running receiver.
    private var lastRun = RunPlan()

    /// When the planned standby ends; nil if no standby is planned.
    var standbyEnd: Instant? { if case .sleep(let until) = plan { until } else { nil } }

    /// Replaces the plan. Returns whether it changed.
    mutating func update(_ plan: ReceiverPlan) -> Bool {
        if case .run(let run) = plan { lastRun = run }
        defer { self.plan = plan }
        return plan != self.plan
    }

    /// Returns the effective plan at `now`. A standby that is over or too short becomes the last
    /// run plan.
    ///
    /// - Parameter isAsleep: Whether the receiver sleeps already, so that any standby is long
    ///   enough.
    func effective(at now: Instant, isAsleep: Bool) -> ReceiverPlan {
        guard let standbyEnd else { return plan }
        let shortest = isAsleep ? Instant.Span(nanoseconds: 1) : DriverPlan.minSleep
        return standbyEnd - now < shortest ? .run(lastRun) : plan
    }
}

/// The state that a driver has achieved, for display and for energy accounting.
package struct DriverReport: Sendable, Equatable {
    package var activity: DriverActivity
    /// The generation of the chip; nil until it is identified.
    package var chip: ReceiverChip?
    /// The sleep method in use; nil while the receiver is awake.
    package var sleepMethod: String?
    /// The power state while the receiver sleeps or saves power; nil while it depends on the fix.
    package var state: ReceiverPowerState?
    /// The period between fixes, as set and as observed.
    package var period: Instant.Span?
    /// Whether the receiver ignores all commands.
    package var isUnresponsive: Bool
    /// Whether the receiver sleeps, or has got all commands for that.
    package var isToldToSleep = false

    /// Whether nothing more can be done to put the receiver to sleep. Identifying it may take some
    /// seconds.
    package var sleepsAsFarAsPossible: Bool {
        guard !isUnresponsive, activity != .portClosed else { return true }
        return chip == nil ? activity != .configuring : isToldToSleep
    }
}

/// The state of a receiver that determines its current.
package enum ReceiverPowerState: String, Sendable, CaseIterable {
    /// Without power.
    case off
    /// Asleep; the clock and the ephemerides are kept.
    case standby
    /// The GNSS engine is stopped; the processor and the serial line are active.
    case stopped
    /// Searching for satellites.
    case acquiring
    /// Has a fix and works continuously.
    case tracking
    /// Has a fix and saves power between fixes.
    case powerSave
    /// Its port is closed and nothing is read; the receiver is assumed to keep working.
    case closed
}
