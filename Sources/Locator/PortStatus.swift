import Delivery

/// What the edge knows about a receiver's port.
public enum PortStatus: Sendable, Equatable {
    /// It does not exist, or has vanished. The words name the port.
    case absent(String, lost: Bool)
    /// The daemon may not open it.
    case denied(String)
    /// Another program holds it.
    case busy(String)
    /// Open; its speed is being found.
    case hunting(String)
    /// Open, at a known speed or one that does not matter.
    case open

    /// Why such a port gives no position; nil while it is open.
    var unavailability: Unavailability? {
        switch self {
        case .absent(let words, let lost): Unavailability(lost ? .receiverLost : .noReceiver, words)
        case .denied(let words): Unavailability(.permissionDenied, words)
        case .busy(let words): Unavailability(.portBusy, words)
        case .hunting, .open: nil
        }
    }
}
