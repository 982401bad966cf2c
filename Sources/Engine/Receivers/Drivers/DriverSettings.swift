import Positioning

/// The properties of a driver's port.
package struct DriverSettings: Sendable {
    /// Whether the driver never writes.
    package var isPassive = false
    /// Whether the port is the receiver's own USB port, not a converter.
    package var isNativeUSB = false
    /// The baud rate of the line; nil if it has none.
    package var baud: Int?
    /// What is known about the receiver in advance.
    package var identity = ReceiverIdentity()
    /// The state that an earlier run of the program saved.
    package var savedState: ReceiverStateRecord?
    /// Whether the driver may close the port while nobody needs the receiver.
    package var mayClose = true

    /// Whether the receiver must not lose the settings in its RAM: it was switched to NMEA there.
    package var mustKeepSettings = false

    /// Creates settings for an unknown receiver.
    package init() {}
}
