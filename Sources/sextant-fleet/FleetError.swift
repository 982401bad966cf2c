import Fleet
import Store
import SystemCalls

/// Why the program cannot start.
enum FleetError: Error, CustomStringConvertible {
    /// The text is no destination.
    case destination(Destination.Invalid)
    /// The outbox cannot be opened.
    case outbox(StoreError)
    /// libmosquitto or libcurl refuses the settings.
    case settings(String)
    /// Another system call failed.
    case system(SystemError)

    /// The reason and how to fix it.
    var description: String {
        switch self {
        case .destination(let error): "\(error)"
        case .outbox(let error): "the outbox cannot be used: \(error)"
        case .settings(let reason): reason
        case .system(let error): "\(error)"
        }
    }
}
