/// The ports on which no receiver is confirmed. They give no positions, but their status often
/// states why there is no receiver.
struct UnconfirmedPorts: Sendable {
    private var ports: [UnidentifiedPort] = []

    var all: [UnidentifiedPort] { ports }

    /// Adds a port or updates its status.
    mutating func set(_ port: UnidentifiedPort) {
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
public struct UnidentifiedPort: Sendable, Equatable {
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
