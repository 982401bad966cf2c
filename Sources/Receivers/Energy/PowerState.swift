/// What a receiver is doing, as far as its current tells.
public enum PowerState: String, Sendable, CaseIterable {
    /// Without supply.
    case off
    /// Asleep; its clock, and what it knows of the orbits, are kept.
    case standby
    /// The engine is stopped, the processor and the serial line are not.
    case stopped
    /// Looking for satellites.
    case acquiring
    /// Has a fix, and works all the time.
    case tracking
    /// Has a fix, and saves power between one and the next.
    case powerSave
    /// Its port is closed: nobody listens, and it works on as far as anybody knows.
    case closed
}
