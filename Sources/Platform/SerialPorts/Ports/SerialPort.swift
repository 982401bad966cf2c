import CLinux
import Glibc
import SystemCalls

/// An open serial port of a receiver: raw, non-blocking and claimed for this process. It is closed
/// on deinitialization.
///
/// It can also be a receiver of the kernel's GNSS subsystem (/dev/gnss0), which has no line
/// settings.
package final class SerialPort {
    /// The access mode of the port.
    package enum Access: Sendable, Hashable {
        /// Reading and writing.
        case readWrite
        /// Reading only: this user may not write to the device.
        case readOnly
    }

    /// The result of a read.
    package enum ReadOutcome: Sendable, Hashable {
        /// The number of bytes at the start of the buffer; at least one.
        case bytes(Int)
        /// No data available now.
        case wouldBlock
        /// The device was unplugged or hung up; close the port.
        case lost(PortLoss)
    }

    package enum WriteResult: Sendable, Hashable {
        /// The number of bytes accepted, perhaps fewer than offered.
        case wrote(Int)
        /// The output buffer of the line is full.
        case wouldBlock
        /// The port is ``Access/readOnly``.
        case refused
        /// The device was unplugged or hung up; close the port.
        case lost(PortLoss)
    }

    package let path: String
    /// The access mode.
    package let access: Access
    /// Whether a wrong baud rate garbles the data, so that the baud rate must be detected.
    package let hasBaudRate: Bool

    private let file: FileDescriptor
    private let isTerminal: Bool
    var isClaimed = false

    /// The descriptor, for the event loop.
    package var descriptor: Int32 { file.number }

    /// Opens a port, claims it and sets it to raw mode. Discards the data received before.
    ///
    /// - Parameters:
    ///   - path: A device or a symbolic link to one.
    ///   - baudRate: The initial bits per second; nil keeps the port's baud rate, which Linux
    ///     remembers from its last use.
    /// - Throws: ``SerialError``.
    package init(path: String, baudRate: Int? = nil) throws(SerialError) {
        file = try Self.open(path)
        access = fcntl(file.number, F_GETFL) & O_ACCMODE == O_RDWR ? .readWrite : .readOnly
        self.path = path
        let device = try Self.device(of: file.number, path: path)
        isTerminal = isatty(file.number) == 1
        guard isTerminal || device.isKernelReceiver else { throw .notATerminal(path: path) }
        hasBaudRate = isTerminal && device.hasBaudRate
        try lock()
        if isTerminal {
            try claim(device)
            try setLine(baudRate)
        }
    }

    /// The current bits per second; nil for a port without a serial line, or if termios has no
    /// constant for the baud rate.
    package var baudRate: Int? {
        guard isTerminal else { return nil }
        return try? LineSettings(of: descriptor).baudRate
    }

    /// Changes the baud rate immediately and discards the data received at the old one.
    ///
    /// - Parameter baudRate: Bits per second.
    /// - Throws: ``SerialError/baudRateUnsupported(path:baudRate:)``, also if the driver silently
    ///   kept another baud rate; ``SerialError/system(_:)``.
    package func setBaudRate(_ baudRate: Int) throws(SerialError) {
        guard isTerminal else { throw .baudRateUnsupported(path: path, baudRate: baudRate) }
        try setLine(baudRate)
    }

    /// Reads the available data into the start of `buffer`, without waiting.
    package func read(into buffer: inout [UInt8]) -> ReadOutcome {
        buffer.withUnsafeMutableBytes { read(into: $0) }
    }

    /// Reads the available data into the start of `buffer`, without waiting. Returns
    /// ``ReadOutcome/wouldBlock`` for an empty buffer.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadOutcome {
        guard !buffer.isEmpty else { return .wouldBlock }
        do throws(SystemError) {
            let count = try systemCall("reading \(path)") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            return count > 0 ? .bytes(count) : .lost(.ended)
        } catch {
            return error.code == EAGAIN ? .wouldBlock : .lost(.failed(error))
        }
    }

    /// Writes without waiting. The caller must write to a receiver only when that is permitted.
    package func write(_ bytes: [UInt8]) -> WriteResult {
        guard access == .readWrite else { return .refused }
        do throws(SystemError) {
            return .wrote(try systemCall("writing \(path)") { Glibc.write(descriptor, bytes, bytes.count) })
        } catch {
            return error.code == EAGAIN ? .wouldBlock : .lost(.failed(error))
        }
    }

    /// Releases the claim, for a process that opened the port before it was claimed and still has
    /// it open.
    deinit {
        if isClaimed { _ = linux_terminal_set_exclusive(file.number, false) }
    }
}

/// How a port was lost.
package enum PortLoss: Sendable, Hashable, CustomStringConvertible {
    /// End of file: the terminal was hung up, as by unplugging.
    case ended
    /// A read or write failed: EIO, ENXIO or ENODEV if the device was removed; any other code if
    /// the port is unusable.
    case failed(SystemError)

    package var description: String {
        switch self {
        case .ended: "the device was unplugged"
        case .failed(let error): "\(error)"
        }
    }
}

/// The terminal settings of a receiver's line: raw bytes, 8N1, no flow control (termios(3)).
struct LineSettings {
    private var settings = termios()

    init(of terminal: Int32) throws(SystemError) {
        try systemCall("reading the line settings") { tcgetattr(terminal, &settings) }
    }

    /// The rate in bits per second; nil if termios has no constant for it.
    var baudRate: Int? {
        let constant = withUnsafePointer(to: settings) { cfgetospeed($0) }
        return Self.baudRates.first { linux_speed_constant(Int64($0)) == constant }
    }

    /// - Returns: Whether termios has a constant for the rate.
    mutating func setBaudRate(_ baudRate: Int) -> Bool {
        let constant = linux_speed_constant(Int64(baudRate))
        guard constant != 0 else { return false }
        return cfsetospeed(&settings, constant) == 0 && cfsetispeed(&settings, constant) == 0
    }

    /// Configures raw mode for a receiver, without any terminal processing of the bytes.
    ///
    /// - CLOCAL: three-wire receivers drive no carrier detect. CREAD: enable receiving.
    /// - No CRTSCTS: receivers leave CTS open, and some FTDI receivers hang with it.
    /// - No HUPCL: dropping DTR at close resets some boards and cuts the power of others; a
    ///   receiver shall keep tracking while nobody reads.
    /// - VMIN 1, VTIME 0: with VMIN 0, a read without data returns 0, as it does for an unplugged
    ///   device. A greater VMIN would delay poll until that many bytes are present (n_tty), and the
    ///   end of a burst forever.
    mutating func makeRaw() {
        cfmakeraw(&settings)
        settings.c_cflag &= ~(tcflag_t(CSTOPB | HUPCL) | linux_crtscts())
        settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
        Self.setControl(&settings, at: VMIN, to: 1)
        Self.setControl(&settings, at: VTIME, to: 0)
    }

    func apply(to terminal: Int32) throws(SystemError) {
        try systemCall("applying the line settings") {
            withUnsafePointer(to: settings) { tcsetattr(terminal, TCSANOW, $0) }
        }
    }

    /// c_cc is a tuple in Swift.
    private static func setControl(_ settings: inout termios, at index: Int32, to value: cc_t) {
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(index)] = value }
    }

    private static let baudRates = [
        1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000,
    ]
}
