/// The receivers that a request uses.
public enum ReceiverSelection: Sendable, Hashable {
    /// The best receiver. All receivers run for the comparison.
    case best
    /// The only receiver with this name or port.
    case named(String)

    /// Creates a selection from the receiver that a request names; nil selects the best one.
    public init(_ receiver: String?) { self = receiver.map(ReceiverSelection.named) ?? .best }

    /// Returns whether a receiver with this name and port may provide the location.
    public func includes(name: String, port: String) -> Bool {
        switch self {
        case .best: true
        case .named(let required): required == name || required == port
        }
    }
}

/// The selections that one receiver serves.
enum ServedSelections: Sendable {
    /// Only the selection of the best receiver.
    case best
    /// Only selections of this receiver.
    case named(name: String, port: String)
    /// Both.
    case bestAndNamed(name: String, port: String)

    func contains(_ selection: ReceiverSelection) -> Bool {
        switch (self, selection) {
        case (.best, .best), (.bestAndNamed, .best): true
        case (.best, .named), (.named, .best): false
        case (.named(let name, let port), .named), (.bestAndNamed(let name, let port), .named):
            selection.includes(name: name, port: port)
        }
    }
}
