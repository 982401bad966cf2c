import SextantAPI

/// What a receiver of the daemon does now, as far as it decides which checks make sense.
enum ReceiverPhase: Equatable {
    /// It sends data, or should.
    case running
    /// It sleeps or its port is closed, because no request needs it. Text: the state.
    case asleep(String)
    /// It was connected, opened or woken a moment ago. Text: what is still missing.
    case starting(String)

    /// The time in which the system sets the permissions of a new device, in seconds.
    private static let permissionTime = 10.0

    /// Derives the phase of the checked port.
    init(of port: Observations.Port, in observations: Observations) {
        guard port.isOpenInDaemon, let receiver = port.receiver else {
            self = .running
            return
        }
        let hasPosition = port.location != nil && port.cause == nil
        let mayChange = port.watchedSeconds < observations.watchLimit
        self =
            switch receiver.state {
            case .asleep: .asleep(ReceiverPhase.sleepText(of: receiver))
            case .sendingWithoutFix where hasPosition, .hasFix where hasPosition: .running
            case .denied where observations.serviceTime(of: port) < ReceiverPhase.permissionTime:
                .starting("it was connected a moment ago, and its permissions may still change")
            case .busy where mayChange && port.holders.isEmpty: .starting("sextantd tries to open it again")
            case .absent where mayChange && port.exists: .starting("sextantd opens it again within seconds")
            case .denied, .busy, .absent, .unknown: .running
            case .detectingBaudRate, .silent, .sendingWithoutFix, .hasFix:
                ReceiverPhase(ofOpen: port, receiver, mayChange: mayChange, isNeeded: observations.isPositionNeeded)
            }
    }

    /// Derives the phase of a receiver whose port is open, or closed for its sleep.
    private init(ofOpen port: Observations.Port, _ receiver: Receiver, mayChange: Bool, isNeeded: Bool?) {
        let activity = receiver.driver?.activity
        // A start that does not end while another program has the port has that cause.
        let isStarting = mayChange || port.holders.isEmpty
        if activity == .asleep || activity == .portClosed, isNeeded != true {
            self = .asleep(ReceiverPhase.sleepText(of: receiver))
        } else if port.cause == .starting, isStarting {
            self = .starting(receiver.detail ?? "its first epoch is not complete yet")
        } else if receiver.state == .detectingBaudRate || receiver.state == .silent, receiver.detail == nil, isStarting
        {
            // The daemon gives a reason for each silence that it does not expect.
            self = .starting("it is being woken")
        } else if receiver.state == .detectingBaudRate, mayChange {
            self = .starting("the baud rate is being detected")
        } else if port.cause == .binaryProtocol, mayChange {
            self = .starting("it sends a binary protocol and may be switched to NMEA")
        } else if receiver.state == .silent, mayChange, activity == .configuring {
            self = .starting("it is being woken or configured")
        } else {
            self = .running
        }
    }

    private static func sleepText(of receiver: Receiver) -> String {
        receiver.driver?.activity == .portClosed
            ? "its port is closed: no request needs it" : "it is asleep: no request needs it"
    }

    /// Why a check does not apply; nil while the receiver runs.
    var reason: String? {
        switch self {
        case .running: nil
        case .asleep(let text), .starting(let text): text
        }
    }

    /// Whether the state should be different within seconds.
    var isStarting: Bool { if case .starting = self { true } else { false } }
}
