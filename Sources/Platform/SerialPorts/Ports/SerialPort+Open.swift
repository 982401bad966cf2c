import CLinux
import Glibc
import SystemCalls

extension SerialPort {
    /// Opens the device for reading and writing, or only for reading if writing is not permitted.
    ///
    /// O_NONBLOCK also keeps open(2) from waiting for carrier. O_NOCTTY keeps the line from
    /// becoming the controlling terminal, whose hangup would end this process.
    static func open(_ path: String) throws(SerialError) -> FileDescriptor {
        do throws(SystemError) {
            return try openFile(path, access: O_RDWR)
        } catch {
            guard error.code == EACCES || error.code == EROFS else { throw failure(error, at: path) }
        }
        do throws(SystemError) {
            return try openFile(path, access: O_RDONLY)
        } catch {
            throw failure(error, at: path)
        }
    }

    private static func openFile(_ path: String, access direction: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            owning: try systemCall("opening \(path)") {
                Glibc.open(path, direction | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            })
    }

    static func failure(_ error: SystemError, at path: String) -> SerialError {
        switch error.code {
        case ENOENT, ENXIO, ENODEV: .notFound(path: path)
        case EACCES: .permissionDenied(path: path, group: group(of: path))
        case EPERM: .deniedByDeviceFilter(path: path)
        case EBUSY: .busy(path: path, holders: PortHolder.holders(of: path))
        case EISDIR, ENOTDIR: .notATerminal(path: path)
        default: .system(error)
        }
    }

    /// Returns the group of the device if the group may read it and is not root's, which nobody
    /// should join.
    private static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IRGRP != 0, status.st_gid != 0 else { return nil }
        guard let entry = getgrgid(status.st_gid) else { return "\(status.st_gid)" }
        return String(cString: entry.pointee.gr_name)
    }

    /// Returns the character device behind the descriptor; throws for any other kind of file.
    static func device(of descriptor: Int32, path: String) throws(SerialError) -> PortDevice {
        var status = stat()
        guard fstat(descriptor, &status) == 0, linux_is_character_device(status.st_mode) else {
            throw .notATerminal(path: path)
        }
        return PortDevice(number: status.st_rdev)
    }

    /// Locks the file with the lock that terminal programs use (picocom, minicom, pyserial with
    /// `exclusive`); the kernel releases it at close.
    ///
    /// If locking fails for another reason, TIOCEXCL must suffice.
    func lock() throws(SerialError) {
        guard linux_lock_file(descriptor) != 0, errno == EWOULDBLOCK else { return }
        throw .busy(path: path, holders: PortHolder.holders(of: path))
    }

    /// Claims the port, so that another open of it fails with EBUSY.
    ///
    /// An open by root does not fail, so the existing claim of another process is checked. It
    /// counts only if a process holds the port: a pseudo-terminal keeps the claim of a killed
    /// process while its other end is open. For that reason, pseudo-terminals are not claimed.
    func claim(_ device: PortDevice) throws(SerialError) {
        if linux_terminal_is_exclusive(descriptor) == 1 {
            let holders = PortHolder.holders(of: path)
            if !holders.isEmpty { throw .busy(path: path, holders: holders) }
        }
        if !device.isPseudoTerminal { isClaimed = linux_terminal_set_exclusive(descriptor, true) == 0 }
    }

    func setLine(_ baudRate: Int?) throws(SerialError) {
        do throws(SystemError) {
            if try changeLine(baudRate) { return }
        } catch {
            // Some drivers refuse an unsupported baud rate instead of keeping the old one.
            guard baudRate != nil, error.code == EINVAL else { throw .system(error) }
        }
        throw .baudRateUnsupported(path: path, baudRate: baudRate ?? 0)
    }

    /// Changes the line settings. tcsetattr(3) succeeds if any one setting was applied, so the
    /// baud rate is read back.
    ///
    /// - Returns: Whether the line has the requested baud rate.
    private func changeLine(_ baudRate: Int?) throws(SystemError) -> Bool {
        var line = try LineSettings(of: descriptor)
        line.makeRaw()
        if let baudRate, !line.setBaudRate(baudRate) { return false }
        try line.apply(to: descriptor)
        try systemCall("discarding old input") { tcflush(descriptor, TCIFLUSH) }
        guard let baudRate else { return true }
        return try LineSettings(of: descriptor).baudRate == baudRate
    }
}

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
    case baudRateUnsupported(path: String, baudRate: Int)
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
        case .baudRateUnsupported(let path, let baudRate):
            "\(path) does not run at \(baudRate) baud"
        case .system(let error):
            "\(error)"
        }
    }
}

/// The kernel's information about the device behind a port, from /sys/dev/char
/// (Documentation/ABI/stable/sysfs-dev).
struct PortDevice {
    private let number: dev_t
    private var directory: String { "/sys/dev/char/\(linux_device_major(number)):\(linux_device_minor(number))" }

    init(number: dev_t) {
        self.number = number
    }

    var isPseudoTerminal: Bool { linux_is_pseudo_terminal(number) }

    /// Whether the device is a receiver of the kernel's GNSS subsystem (/dev/gnss0), a byte stream
    /// without line settings.
    var isKernelReceiver: Bool { lastComponent(of: "subsystem") == "gnss" }

    /// Whether the port has a serial line whose baud rate both ends must agree on.
    ///
    /// Most CDC-ACM devices ignore the line coding, because they have no serial line. WCH bridges
    /// (vendor 1a86; CH343, CH9102) enumerate as CDC-ACM and do have one. That exception is from
    /// their data sheets, not tested on a device. A pseudo-terminal counts as a serial line: a
    /// simulated receiver may apply the baud rate.
    var hasBaudRate: Bool {
        guard lastComponent(of: "device/driver") == "cdc_acm" else { return !isKernelReceiver }
        return SystemFile.firstLine(of: directory + "/device/../idVendor") == "1a86"
    }

    private func lastComponent(of link: String) -> Substring? {
        SystemFile.target(of: "\(directory)/\(link)")?.split(separator: "/").last
    }
}
