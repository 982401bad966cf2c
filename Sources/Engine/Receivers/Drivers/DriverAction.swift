import Locator

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
    /// Reopen the port, then call ``ReceiverDriver/portOpened(at:)``.
    case openPort
}

/// The saved state of a receiver that has been written to.
package struct ReceiverStateRecord: Sendable, Hashable {
    /// The chip.
    package var chip: ReceiverChip
    /// The version of the u-blox protocol.
    package var protocolNumber: Double?
    /// Whether the last command put the receiver to sleep. The driver may then write to a silent
    /// port to wake the receiver.
    package var isAsleep: Bool

    /// The fix period in milliseconds before anything was written; nil if it was never observed.
    package var initialPeriod: Int?
    /// The dynamic platform model that was set.
    package var dynamics = Dynamics.any
    /// Whether a sentence with an error estimate was enabled that the receiver did not send by
    /// itself.
    package var outputsErrorEstimate = false

    /// Creates the state of a receiver that has been written to.
    package init(chip: ReceiverChip, protocolNumber: Double? = nil, isAsleep: Bool) {
        self.chip = chip
        self.protocolNumber = protocolNumber
        self.isAsleep = isAsleep
    }
}
