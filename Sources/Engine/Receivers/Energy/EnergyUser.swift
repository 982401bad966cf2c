import Positioning

/// A client program, identified by the kernel.
package struct Program: Sendable, Hashable {
    /// The user ID of the program.
    package var user: UInt32
    /// The systemd unit, such as "navigator.service"; nil if it has none.
    package var unit: String?
    /// The name that the program gives itself: for display, not authenticated.
    package var name: String

    package init(user: UInt32, unit: String? = nil, name: String) {
        self.user = user
        self.unit = unit
        self.name = name
    }
}

/// The kind of a program's request.
package enum ConsumerPurpose: Sendable, Hashable {
    /// A stream of locations.
    case stream(Configuration)
    /// One location.
    case oneShot
    /// The heading.
    case heading
    /// Monitors of the program.
    case monitors
}

/// The consumer that energy is attributed to.
package enum EnergyUser: Sendable, Hashable {
    /// A program, for one purpose.
    case program(Program, ConsumerPurpose)
    /// No consumer: a receiver is being detected, kept warm, kept awake after the last consumer
    /// left, or must not be put to sleep.
    case nobody
    /// Programs beyond the maximum number of separate consumers.
    case others
}

extension ConsumerPurpose: RawRepresentable {
    /// The name in storage and on the wire.
    package var rawValue: String {
        switch self {
        case .stream(let configuration): configuration.rawValue
        case .oneShot: "oneShot"
        case .heading: "heading"
        case .monitors: "monitors"
        }
    }

    /// Creates the purpose with this name.
    package init?(rawValue: String) {
        switch rawValue {
        // Builds before 2026-11-22 stored "question".
        case "oneShot", "question": self = .oneShot
        case "heading": self = .heading
        case "monitors": self = .monitors
        default:
            guard let configuration = Configuration(rawValue: rawValue) else { return nil }
            self = .stream(configuration)
        }
    }
}
