/// The ports on which no receiver is confirmed. They give no positions, but their status often
/// states why there is no receiver.
struct UnconfirmedPorts: Sendable {
    private var ports: [UnconfirmedPortReport] = []

    var all: [UnconfirmedPortReport] { ports }

    /// Adds a port or updates its status.
    mutating func set(_ port: UnconfirmedPortReport) {
        guard let index = ports.firstIndex(where: { $0.id == port.id }) else { return ports.append(port) }
        ports[index] = port
    }

    /// Removes a port, because it is gone or its receiver is confirmed.
    mutating func remove(_ id: ReceiverID) { ports.removeAll { $0.id == id } }

    /// Returns why there is no position from the selected ports; nil if none is selected. The cause
    /// that a person can remedy comes first.
    func unavailability(for selection: ReceiverSelection) -> Unavailability? {
        ports.filter { selection.includes(name: $0.name, port: $0.port) }
            .map(\.unavailability)
            .max { UnconfirmedPorts.relevance(of: $0.cause) < UnconfirmedPorts.relevance(of: $1.cause) }
    }

    private static func relevance(of cause: Cause) -> Int {
        switch cause {
        case .permissionDenied: 5
        case .portBusy: 4
        case .binaryProtocol: 3
        case .starting: 2
        case .notUnderstood: 1
        default: 0
        }
    }
}

/// A port on which no receiver is confirmed.
public struct UnconfirmedPortReport: Sendable, Equatable {
    /// The identifier that its receiver would have.
    public var id: ReceiverID
    /// The name that its receiver would have.
    public var name: String
    /// The path of the port.
    public var port: String
    /// The status of the port.
    public var status: PortStatus

    /// Creates a port.
    public init(_ id: ReceiverID, name: String, port: String, status: PortStatus) {
        self.id = id
        self.name = name
        self.port = port
        self.status = status
    }

    /// Why there is no position from this port.
    public var unavailability: Unavailability {
        status.unavailability
            ?? Unavailability(
                .starting, detail: "\(port) is open; no GNSS NMEA has arrived on it yet: connect a receiver to it")
    }

    /// The state of the port, as for a receiver.
    public var health: ReceiverHealth {
        switch status {
        case .absent, .notGNSS: .absent
        case .denied: .denied
        case .busy: .busy
        case .unreadable: .sendingWithoutFix
        case .detectingBaudRate, .open: .detectingBaudRate
        }
    }
}

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

    var isOpen: Bool {
        switch self {
        case .open, .detectingBaudRate, .unreadable: true
        case .absent, .denied, .busy, .notGNSS: false
        }
    }
}
