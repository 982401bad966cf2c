/// The cause of a missing position. Raw values are the wire names.
public enum UnavailableCause: String, Sendable, Codable, CaseIterable {
    /// No receiver has been found or configured.
    case noReceiver
    /// The receiver was connected and is gone: it was unplugged, or its port was closed.
    case receiverLost
    /// The daemon lacks permission to open the port.
    case permissionDenied
    /// Another program has the port open.
    case portBusy
    /// The port is open and no data arrives.
    case receiverSilent
    /// Data arrives, but none of it is GNSS NMEA at any baud rate tried so far.
    case unknownProtocol = "notUnderstood"
    /// The receiver sends data and has no fix.
    case noFix
    /// The receiver reports an open or shorted antenna.
    case antennaFault
    /// The daemon has just started and has not received a complete epoch yet.
    case starting
}
