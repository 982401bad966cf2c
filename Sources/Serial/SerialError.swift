import SystemCalls

/// Why a port could not be opened or set.
public enum SerialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing is at this path, or the driver found no device behind it.
    case notFound(path: String)
    /// The device may not be read by this user; `group` owns it and may, `nil` where it may not either or is root's.
    case permissionDenied(path: String, group: String?)
    /// The device may not be opened whatever its file mode says: a service's device filter refuses it (EPERM of open(2), systemd's DeviceAllow=).
    case filtered(path: String)
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
            "\(path): permission denied" + (group.map { "; members of the group \($0) may open it" } ?? "; see who may: ls -lL \(path)")
        case .filtered(let path):
            "\(path): the service's device filter forbids it; allow its driver with DeviceAllow=: systemctl edit sextantd"
        case .busy(let path, let holders):
            "\(path) is in use" + (holders.isEmpty ? "" : " by " + holders.map(\.description).joined(separator: ", "))
        case .notATerminal(let path):
            "\(path) is not a serial port; name the port of a receiver, such as /dev/ttyUSB0"
        case .speedUnsupported(let path, let speed):
            "\(path) does not run at \(speed) baud"
        case .system(let error):
            "\(error)"
        }
    }
}
