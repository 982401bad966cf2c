import Chronology

/// The state that a driver has achieved, for display and for energy accounting.
package struct DriverReport: Sendable, Equatable {
    /// The receiver's activity as set by the driver.
    package enum Activity: Sendable, CaseIterable {
        /// The port is not open, or has shown no GNSS NMEA yet.
        case unknown
        /// The driver is identifying or configuring the receiver.
        case configuring
        /// The receiver runs as planned.
        case running
        /// The receiver runs as planned and saves power between fixes.
        case savingPower
        /// The receiver is asleep.
        case asleep
        /// The port is closed; the receiver works for no client.
        case portClosed
    }

    /// The receiver's activity.
    package var activity: Activity
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
