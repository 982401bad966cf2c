/// Why there is no position; raw values are the wire's names.
public enum UnavailableCause: String, Sendable, Codable, CaseIterable {
    /// No receiver has been found or named.
    case noReceiver
    /// The receiver was there and has gone: unplugged, or its port closed under us.
    case receiverLost
    /// The port exists but cannot be opened for lack of permission.
    case permissionDenied
    /// Another program holds the port.
    case portBusy
    /// The port is open and nothing arrives.
    case receiverSilent
    /// Bytes arrive and none of them is GNSS NMEA at any speed tried so far.
    case notUnderstood
    /// The receiver talks and has no fix.
    case noFix
    /// The receiver reports its antenna open or shorted.
    case antennaFault
    /// The daemon has just started and has not heard a whole epoch yet.
    case starting
}
