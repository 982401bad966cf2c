import CLinux
import Glibc
import SystemCalls

/// A device of this machine that reports movement, open for reading. It is closed on
/// deinitialization.
///
/// The kernel filters what else the device reports, so that nothing but a report wakes the process.
/// Nothing is ever written to a device or a bus.
package final class MotionDevice {
    /// The kinds of devices, with what selects one.
    package enum Kind: Sendable, Hashable {
        /// A key or switch of an input device, by the type and code of its events
        /// (linux/input-event-codes.h).
        case input(path: String, type: UInt16, code: UInt16)
        /// Either edge of a line of a GPIO chip.
        case gpio(path: String, line: UInt32)
        /// Any event of an industrial I/O device. Its events must be enabled in sysfs.
        case iio(path: String)
        /// Any frame of a CAN interface.
        case can(interface: String)
    }

    /// The system calls that open a device. Tests replace them, to read from a FIFO.
    struct Calls {
        /// open(2) for reading, without waiting.
        var open: (String) -> Int32 = { Glibc.open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        /// Passes only events of a type and code.
        var selectInput: (Int32, UInt16, UInt16) -> Int32 = { linux_input_select($0, $1, $2) }
        /// The descriptor of the edges of a line of an open chip.
        var watchLine: (Int32, UInt32) -> Int32 = { linux_gpio_events($0, $1) }
        /// The descriptor of the events of an open device.
        var eventDescriptor: (Int32) -> Int32 = { linux_iio_events($0) }
        /// A raw socket of a CAN interface, which gets data frames.
        var bindInterface: (String) -> Int32 = { linux_can_socket($0) }
        /// read(2).
        var read: (Int32, UnsafeMutableRawPointer?, Int) -> Int = { Glibc.read($0, $1, $2) }
    }

    /// The maximum number of reads at a time: a busy bus must not hold up the process.
    private static let maxReads = 64
    /// The size of the largest record, a CAN frame with flexible data rate, and of several others.
    private static let bufferSize = 1024

    package let kind: Kind
    /// What tells this device from another one under the same path: its name and place, or the
    /// label of its chip.
    package let identity: String
    private let file: FileDescriptor
    private let read: (Int32, UnsafeMutableRawPointer?, Int) -> Int

    /// The descriptor for the event loop; readable when a report is pending.
    package var descriptor: Int32 { file.number }

    /// Opens a device.
    ///
    /// - Throws: `SystemError`; EBUSY if another process reads its events.
    package static func open(_ kind: Kind) throws(SystemError) -> MotionDevice {
        try MotionDevice(kind, calls: Calls())
    }

    init(_ kind: Kind, calls: Calls) throws(SystemError) {
        self.kind = kind
        read = calls.read
        switch kind {
        case .input(let path, let type, let code):
            let device = FileDescriptor(owning: try systemCall("opening \(path)") { calls.open(path) })
            try systemCall("selecting events of \(path)") { calls.selectInput(device.number, type, code) }
            identity = "input \(MotionDevice.label(linux_input_label, device.number) ?? path) \(type) \(code)"
            file = device
        case .gpio(let path, let line):
            let chip = FileDescriptor(owning: try systemCall("opening \(path)") { calls.open(path) })
            file = FileDescriptor(
                owning: try systemCall("watching line \(line) of \(path)") { calls.watchLine(chip.number, line) })
            identity = "gpio \(MotionDevice.label(linux_gpio_label, chip.number) ?? path) \(line)"
        case .iio(let path):
            // The device itself is closed: only one process may have it open, and the descriptor of
            // its events stays valid.
            let device = FileDescriptor(owning: try systemCall("opening \(path)") { calls.open(path) })
            file = FileDescriptor(
                owning: try systemCall("watching events of \(path)") { calls.eventDescriptor(device.number) })
            identity = "iio \(MotionDevice.sensorName(at: path) ?? path)"
        case .can(let interface):
            file = FileDescriptor(
                owning: try systemCall("listening on \(interface)") { calls.bindInterface(interface) })
            identity = "can \(interface)"
        }
    }

    /// Returns what the kernel calls an open device; nil if it has no name.
    private static func label(
        _ call: (Int32, UnsafeMutablePointer<CChar>?, Int) -> Int32, _ device: Int32
    ) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress, call(device, start, text.count) > 0 else { return nil }
            return TerminalText.sanitized(String(cString: start))
        }
    }

    /// Returns the name of an industrial I/O device in sysfs.
    private static func sensorName(at path: String) -> String? {
        guard let number = path.split(separator: "/").last,
            let name = SystemFile.firstLine(of: "/sys/bus/iio/devices/\(number)/name")
        else { return nil }
        return TerminalText.sanitized(name)
    }

    /// Reads all pending records. Returns whether one of them is a report.
    ///
    /// - Throws: `SystemError`; ENODEV if the device is gone, ENETDOWN if an interface is down,
    ///   which reports again when it is up.
    package func receive() throws(SystemError) -> Bool {
        var isReport = false
        for _ in 0..<MotionDevice.maxReads {
            let result = withUnsafeTemporaryAllocation(byteCount: MotionDevice.bufferSize, alignment: 8) { buffer in
                let count = uninterrupted { read(file.number, buffer.baseAddress, buffer.count) }
                let code = errno
                let contains = count > 0 && containsReport(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return (count: count, code: code, contains: contains)
            }
            isReport = isReport || result.contains
            if result.count < 0, result.code == EAGAIN { return isReport }
            guard result.count > 0 else {
                throw SystemError(code: result.count == 0 ? ENODEV : result.code, operation: "reading \(kind)")
            }
        }
        return isReport
    }

    /// Returns whether records contain a report: a key that was pressed or a switch that changed,
    /// and everything of the other kinds.
    private func containsReport(_ records: UnsafeRawBufferPointer) -> Bool {
        guard case .input(_, let type, let code) = kind else { return true }
        // struct input_event: the time, then type, code and value.
        let timeSize = MemoryLayout<timeval>.size
        return stride(from: timeSize, through: records.count - 8, by: timeSize + 8).contains { offset in
            records.loadUnaligned(fromByteOffset: offset, as: UInt16.self) == type
                && records.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self) == code
                && (type != MotionDevice.keyType
                    || records.loadUnaligned(fromByteOffset: offset + 4, as: Int32.self) == 1)
        }
    }

    /// The type of the events of keys, EV_KEY.
    package static let keyType: UInt16 = 1
    /// The type of the events of switches, EV_SW.
    package static let switchType: UInt16 = 5
}

extension MotionDevice.Kind {
    /// The subsystem of udev with such devices.
    package var subsystem: String {
        switch self {
        case .input: "input"
        case .gpio: "gpio"
        case .iio: "iio"
        case .can: "net"
        }
    }
}

extension MotionDevice.Kind: CustomStringConvertible {
    /// What the owner of the device named in the configuration.
    package var description: String {
        switch self {
        case .input(let path, _, _), .iio(let path): path
        case .gpio(let path, let line): "line \(line) of \(path)"
        case .can(let interface): interface
        }
    }
}
