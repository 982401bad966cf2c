/// The status of a receiver's port, as the daemon reports it.
public enum PortStatus: Sendable, Equatable {
    /// The port does not exist or was lost. The text names the port.
    case absent(String, lost: Bool)
    /// The daemon has no permission to open the port.
    case denied(String)
    /// Another program uses the port.
    case busy(String)
    /// The device on the port sends no GNSS NMEA, so the port is closed.
    case notGNSS(String)
    /// The port is open and its baud rate is being detected. While the first rate is tried, bytes
    /// that make no sense may be the end of a sentence, and are no fault yet.
    case detectingBaudRate(String, isFirstRate: Bool = false)
    /// The port is open, and its baud rate is known or irrelevant.
    case open

    /// The cause of the missing position; nil while the port is open.
    var unavailability: Unavailability? {
        switch self {
        case .absent(let detail, let lost): Unavailability(lost ? .receiverLost : .noReceiver, detail: detail)
        case .denied(let detail): Unavailability(.permissionDenied, detail: detail)
        case .busy(let detail): Unavailability(.portBusy, detail: detail)
        case .notGNSS(let detail): Unavailability(.notUnderstood, detail: detail)
        case .detectingBaudRate, .open: nil
        }
    }
}
