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

    func setLine(_ speed: Int?) throws(SerialError) {
        do throws(SystemError) {
            if try changeLine(speed) { return }
        } catch {
            // Some drivers refuse an unsupported speed instead of keeping the old one.
            guard speed != nil, error.code == EINVAL else { throw .system(error) }
        }
        throw .speedUnsupported(path: path, speed: speed ?? 0)
    }

    /// Changes the line settings. tcsetattr(3) succeeds if any one setting was applied, so the
    /// speed is read back.
    ///
    /// - Returns: Whether the line has the requested speed.
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
