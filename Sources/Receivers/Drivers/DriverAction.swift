import Delivery

/// What a driver wants done to the port, in this order.
public enum DriverAction: Sendable, Equatable {
    /// Keep in the state directory, before what follows is carried out: what has been done to this receiver, or nil when nothing is left
    /// of it. Handed back in ``ReceiverDriver/Settings/memory`` after a crash.
    case remember(ReceiverMemory?)
    /// Write these bytes.
    case write([UInt8])
    /// Close the port: the receiver is not needed and cannot be told.
    case closePort
    /// Open it again, and tell the driver by ``ReceiverDriver/opened(at:)``.
    case openPort
}

/// What the state directory knows of a receiver that has been written to.
public struct ReceiverMemory: Sendable, Hashable {
    /// What it is.
    public var chip: ReceiverChip
    /// Version of u-blox's protocol.
    public var protocolNumber: Double?
    /// It was last told to sleep: a port that says nothing may then be written to, to wake it.
    public var isAsleep: Bool

    /// Milliseconds between its fixes before anything was written; nil when that was never seen.
    public var ownPeriod: Int?
    /// What it was told moves.
    public var dynamics = Dynamics.any
    /// It was asked for a sentence that states the error, which it did not send by itself.
    public var statesError = false

    /// A receiver that was written to.
    public init(chip: ReceiverChip, protocolNumber: Double? = nil, isAsleep: Bool) {
        (self.chip, self.protocolNumber, self.isAsleep) = (chip, protocolNumber, isAsleep)
    }
}
