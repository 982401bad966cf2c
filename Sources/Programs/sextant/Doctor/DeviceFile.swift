import CLinux
import Chronology
import Glibc
import SystemCalls

/// A path that should lead to a serial port.
struct DeviceFile {
    let exists: Bool
    /// Whether it leads to a serial port or a receiver of the kernel's GNSS subsystem.
    let isSerialPort: Bool
    /// The time since the device was connected, in seconds; nil if the system does not record it.
    let secondsPresent: Double?

    init(path: String) {
        var status = stat()
        exists = stat(path, &status) == 0
        guard exists, linux_is_character_device(status.st_mode) else {
            isSerialPort = false
            secondsPresent = nil
            return
        }
        let (major, minor) = DeviceFile.numbers(of: UInt64(status.st_rdev))
        // A pseudo-terminal has no entry in sysfs.
        let subsystem = SystemFile.target(of: "/sys/dev/char/\(major):\(minor)/subsystem")?.split(separator: "/").last
        isSerialPort = subsystem.map { $0 == "tty" || $0 == "gnss" } ?? true
        // udev writes its record when the device appears.
        var record = stat()
        if stat("/run/udev/data/c\(major):\(minor)", &record) == 0 {
            let written = Int64(record.st_mtim.tv_sec) * 1000
            secondsPresent = Double(max(HostClock.utc.milliseconds - written, 0)) / 1000
        } else {
            secondsPresent = nil
        }
    }

    /// Splits a device number as gnu_dev_major(3) does.
    private static func numbers(of device: UInt64) -> (major: UInt64, minor: UInt64) {
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        return (major, device & 0xFF | device >> 12 & 0xFFFF_FF00)
    }
}

/// Text files of the system.
enum TextFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The beginning of a file, 64 KiB at most; empty if it cannot be read. A device or a pipe does
    /// not delay this.
    static func text(of path: String) -> String {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return "" }
        let file = FileDescriptor(owning: number)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = uninterrupted { read(file.number, &buffer, buffer.count) }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
