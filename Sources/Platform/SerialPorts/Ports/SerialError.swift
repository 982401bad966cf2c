import SystemCalls

/// The reason why a port could not be opened or configured.
package enum SerialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing exists at this path, or the driver found no device behind it.
    case notFound(path: String)
    /// This user may not read the device. `group` owns the device and may read it; nil if the
    /// group may not read it either, or is root's.
    case permissionDenied(path: String, group: String?)
    /// The device may not be opened, regardless of its file mode: a service's device filter refuses
    /// it (EPERM of open(2), systemd's DeviceAllow=).
    case deniedByDeviceFilter(path: String)
    /// Another process has claimed the port. `holders` are the processes found to have it open;
    /// often none are visible without privileges.
    case busy(path: String, holders: [PortHolder])
    /// The path is neither a terminal nor a receiver of the kernel's GNSS subsystem.
    case notATerminal(path: String)
    /// The port does not support this many bits per second.
    case speedUnsupported(path: String, speed: Int)
    /// A system call failed.
    case system(SystemError)

    /// A description of the failure, with the remedy if it is known.
    package var description: String {
        switch self {
        case .notFound(let path):
            "\(path): no such device"
        case .permissionDenied(let path, let group):
            "\(path): permission denied"
                + (group.map { "; members of the group \($0) may open it" }
                    ?? "; to see who may open it: ls -lL \(path)")
        case .deniedByDeviceFilter(let path):
            "\(path): the service's device filter forbids it; "
                + "allow its driver with DeviceAllow=: systemctl edit sextantd"
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
