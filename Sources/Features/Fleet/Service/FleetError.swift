import Glibc
import SQLite
import SystemCalls

/// Why the program cannot start.
package enum FleetError: Error, CustomStringConvertible {
    /// The text is no destination.
    case destination(Destination.Invalid)
    /// A file of destinations cannot be used.
    case destinationFile(path: String, reason: String)
    /// A file of the directory of keys exists, but cannot be used.
    case credential(name: String, reason: String)
    /// The outbox cannot be opened.
    case outbox(StoreError)
    /// The file of the fences that servers have set cannot be used.
    case fences(StoreError)
    /// libmosquitto or libcurl refuses the settings.
    case settings(String)
    /// Messages to this server shall be encrypted, but it cannot decrypt them.
    case traccarWithKey(Destination)
    /// Another system call failed.
    case system(SystemError)

    /// A credential cannot be read, for the reason `code` of <errno.h>. A lack of resources and an
    /// error of the disk are none of the settings: they pass, and the unit starts again.
    init(reading credential: String, at path: String, code: Int32) {
        let error = SystemError(code: code, operation: "reading \(path)")
        let isPassing = [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
        self = isPassing ? .system(error) : .credential(name: credential, reason: error.reason)
    }

    /// The exit status: EX_CONFIG of sysexits(3) for invalid settings, on which the units do not
    /// start again.
    package var exitCode: Int32 {
        switch self {
        case .destination, .destinationFile, .credential, .settings, .traccarWithKey: 78
        case .outbox, .fences, .system: 1
        }
    }

    /// The reason and how to fix it.
    package var description: String {
        switch self {
        case .destination(let error): "\(error)"
        case .destinationFile(let path, let reason): "the destinations in \(path) cannot be used: \(reason)"
        case .credential(let name, let reason):
            "the file \(name) cannot be used: \(reason); correct the file, or remove it if it is not needed"
        case .outbox(let error): "the outbox cannot be used: \(error)"
        case .fences(let error): "the fences of servers cannot be used: \(error)"
        case .settings(let reason): reason
        case .traccarWithKey(let destination):
            "\(destination.name) cannot read encrypted messages: remove the file encryption-key, "
                + "or report to this server with a unit of its own"
        case .system(let error): "\(error)"
        }
    }
}
