import CLinux
import Glibc
import SystemCalls

extension SerialPort {
    /// Opens for both directions, or for reading where writing is not allowed.
    ///
    /// O_NONBLOCK also keeps open(2) from waiting for carrier; O_NOCTTY keeps the line from becoming the terminal that ends this process.
    static func open(_ path: String) throws(SerialError) -> FileDescriptor {
        do throws(SystemError) {
            return try openFile(path, O_RDWR)
        } catch {
            guard error.code == EACCES || error.code == EROFS else { throw failure(error, path) }
        }
        do throws(SystemError) {
            return try openFile(path, O_RDONLY)
        } catch {
            throw failure(error, path)
        }
    }

    private static func openFile(_ path: String, _ direction: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            owning: try systemCall("opening \(path)") { Glibc.open(path, direction | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) })
    }

    static func failure(_ error: SystemError, _ path: String) -> SerialError {
        switch error.code {
        case ENOENT, ENXIO, ENODEV: .notFound(path: path)
        case EACCES: .permissionDenied(path: path, group: group(of: path))
        case EPERM: .filtered(path: path)
        case EBUSY: .busy(path: path, holders: PortHolder.holding(path))
        case EISDIR, ENOTDIR: .notATerminal(path: path)
        default: .system(error)
        }
    }

    /// Of use only where the group may read, and is not root's, which nobody should join.
    private static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IRGRP != 0, status.st_gid != 0 else { return nil }
        guard let entry = getgrgid(status.st_gid) else { return "\(status.st_gid)" }
        return String(cString: entry.pointee.gr_name)
    }

    /// A character device, or nothing this room can read.
    static func device(of descriptor: Int32, path: String) throws(SerialError) -> PortDevice {
        var status = stat()
        guard fstat(descriptor, &status) == 0, linux_is_character_device(status.st_mode) else { throw .notATerminal(path: path) }
        return PortDevice(number: status.st_rdev)
    }

    /// Locks the file, as terminal programs do among themselves (picocom, minicom, pyserial with `exclusive`); the kernel unlocks it at close.
    ///
    /// Where no lock can be had for another reason, TIOCEXCL has to do.
    func lock() throws(SerialError) {
        guard linux_lock_file(descriptor) != 0, errno == EWOULDBLOCK else { return }
        throw .busy(path: path, holders: PortHolder.holding(path))
    }

    /// Claims the port, so that a second open of it fails with EBUSY.
    ///
    /// root's open does not fail, so a standing claim of somebody else is looked for. It counts only with a holder: a pseudo-terminal keeps the
    /// claim of a process that was killed for as long as its other end is open, so on one of those none is made.
    func claim(_ device: PortDevice) throws(SerialError) {
        if linux_terminal_is_exclusive(descriptor) == 1 {
            let holders = PortHolder.holding(path)
            if !holders.isEmpty { throw .busy(path: path, holders: holders) }
        }
        if !device.isPseudoTerminal { isClaimed = linux_terminal_set_exclusive(descriptor, true) == 0 }
    }

    func setLine(_ speed: Int?) throws(SerialError) {
        do throws(SystemError) {
            if try changeLine(speed) { return }
        } catch {
            // Some drivers refuse a speed they cannot make instead of keeping the old one.
            guard speed != nil, error.code == EINVAL else { throw .system(error) }
        }
        throw .speedUnsupported(path: path, speed: speed ?? 0)
    }

    /// tcsetattr(3) reports success when any one setting took, so the speed is read back.
    ///
    /// - Returns: whether the line has the speed asked for.
    private func changeLine(_ speed: Int?) throws(SystemError) -> Bool {
        var line = try LineSettings(of: descriptor)
        line.makeRaw()
        if let speed, !line.setSpeed(speed) { return false }
        try line.apply(to: descriptor)
        try systemCall("discarding old input") { tcflush(descriptor, TCIFLUSH) }
        guard let speed else { return true }
        return try LineSettings(of: descriptor).speed == speed
    }
}
