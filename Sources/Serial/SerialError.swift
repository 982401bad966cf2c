import SystemCalls

/// Why a port could not be opened or set.
public enum SerialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing is at this path, or the driver found no device behind it.
    case notFound(path: String)
    /// The device may not be read by this user; `group` owns it and usually may.
    case permissionDenied(path: String, group: String?)
    /// Somebody else has claimed the port; `holders` is who was found to have it open, often nobody for want of permission to look.
    case busy(path: String, holders: [PortHolder])
    /// It is neither a terminal nor a receiver of the kernel's GNSS subsystem.
    case notATerminal(path: String)
    /// The port does not run at this many bits per second.
    case speedUnsupported(path: String, speed: Int)
    /// A system call failed.
    case system(SystemError)

    /// The failure in words, with the mend where it is known.
    public var description: String {
        switch self {
        case .notFound(let path):
            "\(path): no such device"
        case .permissionDenied(let path, let group):
            "\(path): permission denied" + (group.map { "; members of the group \($0) may open it" } ?? "")
        case .busy(let path, let holders):
            "\(path) is in use" + (holders.isEmpty ? "" : " by " + holders.map(\.description).joined(separator: ", "))
        case .notATerminal(let path):
            "\(path) is not a serial port"
        case .speedUnsupported(let path, let speed):
            "\(path) does not run at \(speed) baud"
        case .system(let error):
            "\(error)"
        }
    }
}
