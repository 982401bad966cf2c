import Locator

/// An action that a session requests from the port that it controls. Actions are performed in
/// order.
package enum SessionAction: Sendable, Equatable {
    /// Open the device, then call ``ReceiverSession/opened(_:at:)`` or
    /// ``ReceiverSession/openFailed(_:at:)``.
    case open
    /// Close the device.
    case close
    /// Set the baud rate; if the line refuses it, call ``ReceiverSession/baudRateRefused(at:)``.
    case setBaudRate(Int)
    /// Write a command to the receiver; call ``ReceiverSession/wrote(at:)`` when the line has
    /// accepted a part of it.
    case write([UInt8])
    /// Find the other processes that have the device open, then call
    /// ``ReceiverSession/holdersFound(_:at:)``.
    case findHolders
    /// Call ``ReceiverSession/startDriver(_:at:)`` with what is known of the receiver.
    case startDriver
    /// Report a change to the owner of the port.
    case report(SessionEvent)
}

/// A change of a session that others need to know.
package enum SessionEvent: Sendable, Equatable {
    /// The port turned out to have a receiver. The status is that at this instant.
    case confirmed(PortStatus)
    /// The status of a confirmed port changed.
    case statusChanged(PortStatus)
    /// The status of an unconfirmed port changed. This is useful to a user who expects a receiver
    /// there.
    case unconfirmedStatusChanged(PortStatus)
    /// The baud rate was detected and can be saved.
    case baudRateDetected(Int)
    /// The receiver sent a binary protocol, and sends sentences again after commands.
    case rescued(BinaryProtocol)
    /// The changes made to the receiver, to be saved before they are made; nil if none is left.
    case savedStateChanged(ReceiverStateRecord?)
    /// The driver's report changed.
    case driverReportChanged
    /// The power state changed.
    case powerStateChanged
}
