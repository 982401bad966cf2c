/// The state of a receiver that determines its current.
package enum PowerState: String, Sendable, CaseIterable {
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
