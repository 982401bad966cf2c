import Delivery

/// A program that asks for positions, as the kernel tells of it.
public struct Program: Sendable, Hashable {
    /// The user it runs as.
    public var user: UInt32
    /// Its systemd unit, "navigator.service"; nil where it has none.
    public var unit: String?
    /// What it calls itself: for people to read, and proof of nothing.
    public var name: String

    /// A program.
    public init(user: UInt32, unit: String? = nil, name: String) {
        (self.user, self.unit, self.name) = (user, unit, name)
    }
}

/// What a program asks for.
public enum Purpose: Sendable, Hashable {
    /// A stream of positions.
    case stream(LiveConfiguration)
    /// One position.
    case question
    /// Places that are watched for it.
    case monitors
}

/// Whom energy is spent for.
public enum Consumer: Sendable, Hashable {
    /// A program, for one purpose.
    case program(Program, Purpose)
    /// Nobody: a receiver is found, kept warm, waited with after the last consumer has gone, or must not be put to rest.
    case nobody
    /// Programs beyond those that are told apart.
    case others
}

extension Purpose: RawRepresentable {
    /// The name under which it is kept and sent.
    public var rawValue: String {
        switch self {
        case .stream(let configuration): configuration.rawValue
        case .question: "question"
        case .monitors: "monitors"
        }
    }

    /// The purpose of that name.
    public init?(rawValue: String) {
        switch rawValue {
        case "question": self = .question
        case "monitors": self = .monitors
        default:
            guard let configuration = LiveConfiguration(rawValue: rawValue) else { return nil }
            self = .stream(configuration)
        }
    }
}
