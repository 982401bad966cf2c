/// The status of a receiver's port, as the daemon reports it.
public enum PortStatus: Sendable, Equatable {
    /// The port does not exist or was lost. The text names the port.
    case absent(String, lost: Bool)
    /// The daemon has no permission to open the port.
    case denied(String)
    /// Another program uses the port.
    case busy(String)
    /// The device on the port sends no GNSS NMEA, so the port is closed. The cause says whether it
    /// sends a known binary protocol.
    case notGNSS(String, Cause = .notUnderstood)
    /// The port is open and its baud rate is being detected. While the first rate is tried, bytes
    /// that make no sense may be the end of a sentence, and are no fault yet.
    case detectingBaudRate(String, isFirstRate: Bool = false)
    /// The port is open, and what arrives is recognised and is no NMEA. The text says what it is
    /// and what to do.
    case unreadable(String, Cause)
    /// The port is open, and its baud rate is known or irrelevant.
    case open

    /// The cause of the missing position, as far as the port alone shows it.
    var unavailability: Unavailability? {
        switch self {
        case .absent(let detail, let lost): Unavailability(lost ? .receiverLost : .noReceiver, detail: detail)
        case .denied(let detail): Unavailability(.permissionDenied, detail: detail)
        case .busy(let detail): Unavailability(.portBusy, detail: detail)
        case .notGNSS(let detail, let cause): Unavailability(cause, detail: detail)
        case .unreadable(let detail, let cause): Unavailability(cause, detail: detail)
        case .detectingBaudRate, .open: nil
        }
    }

    /// Whether the port is open.
    var isOpen: Bool {
        switch self {
        case .open, .detectingBaudRate, .unreadable: true
        case .absent, .denied, .busy, .notGNSS: false
        }
    }
}
