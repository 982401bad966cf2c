import Locator
import Positioning

/// The properties of a driver's port.
package struct DriverSettings: Sendable {
    /// Whether the driver never writes.
    package var isPassive = false
    /// Whether the port is the receiver's own USB port, not a converter.
    package var isNativeUSB = false
    /// The baud rate of the line; nil if it has none, or is not known yet.
    package var baud: Int?
    /// What is known about the receiver in advance.
    package var identity = ReceiverIdentity()
    /// The state that an earlier run of the program saved.
    package var savedState: ReceiverStateRecord?
    /// Whether the driver may close the port while nobody needs the receiver.
    package var mayClose = true

    /// Whether the receiver shall predict orbits, for faster starts within three days.
    package var predictsOrbits = false
    /// Whether its navigation database is kept, to be given back after a loss of power.
    package var keepsDatabase = false
    /// Whether the receiver must not lose the settings in its RAM: it was switched to NMEA there.
    package var mustKeepSettings = false

    /// Creates settings for an unknown receiver.
    package init() {}
}

/// The saved state of a receiver that has been written to.
package struct ReceiverStateRecord: Sendable, Hashable {
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

    /// Returns whether a start after a crash that finds this record restores what `later` states.
    package func restores(_ later: ReceiverStateRecord) -> Bool {
        var awake = self
        awake.isAsleep = false
        return later == self || later == awake
    }

    /// Creates the state of a receiver that has been written to.
    package init(chip: ReceiverChip, protocolNumber: Double? = nil, isAsleep: Bool) {
        self.chip = chip
        self.protocolNumber = protocolNumber
        self.isAsleep = isAsleep
    }
}
