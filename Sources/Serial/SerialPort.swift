import CLinux
import Glibc
import SystemCalls

/// An open serial port of a receiver: raw, non-blocking, claimed for this process; closed when the object goes.
///
/// Also opens a receiver of the kernel's GNSS subsystem (/dev/gnss0), which has no line settings.
public final class SerialPort {
    /// What the port was opened for.
    public enum Access: Sendable, Hashable {
        /// Reading and writing.
        case readWrite
        /// Reading: the device may not be written by this user.
        case readOnly
    }

    /// What a read found.
    public enum ReadResult: Sendable, Hashable {
        /// That many bytes at the start of the buffer; at least one.
        case bytes(Int)
        /// Nothing there now.
        case wouldBlock
        /// The device was unplugged or hung up; close the port.
        case gone(PortLoss)
    }

    /// What a write did.
    public enum WriteResult: Sendable, Hashable {
        /// That many bytes were taken, perhaps fewer than offered.
        case wrote(Int)
        /// The line's buffer is full.
        case wouldBlock
        /// The port is ``Access/readOnly``.
        case refused
        /// The device was unplugged or hung up; close the port.
        case gone(PortLoss)
    }

    /// The path it was opened by.
    public let path: String
    /// What it was opened for.
    public let access: Access
    /// Whether a wrong speed garbles what is read, so that hunting for the speed makes sense.
    public let speedMatters: Bool

    private let file: FileDescriptor
    private let isTerminal: Bool
    var isClaimed = false

    /// The descriptor, for the event loop.
    public var descriptor: Int32 { file.number }

    /// Opens a port, claims it and makes it raw. What was received before is thrown away.
    ///
    /// - Parameters:
    ///   - path: a device or a symbolic link to one.
    ///   - speed: bits per second to begin with; `nil` keeps the one the port has, which Linux remembers from its last use.
    /// - Throws: ``SerialError``.
    public init(path: String, speed: Int? = nil) throws(SerialError) {
        file = try Self.open(path)
        access = fcntl(file.number, F_GETFL) & O_ACCMODE == O_RDWR ? .readWrite : .readOnly
        self.path = path
        let device = try Self.device(of: file.number, path: path)
        isTerminal = isatty(file.number) == 1
        guard isTerminal || device.isKernelReceiver else { throw .notATerminal(path: path) }
        speedMatters = isTerminal && device.hasLineSpeed
        try lock()
        if isTerminal {
            try claim(device)
            try setLine(speed)
        }
    }

    /// Bits per second now; `nil` for a port without a line, or with a speed that termios has no constant for.
    public var speed: Int? {
        guard isTerminal else { return nil }
        return try? LineSettings(of: descriptor).speed
    }

    /// Changes the speed at once and throws away what was received at the old one.
    ///
    /// - Parameter speed: bits per second.
    /// - Throws: ``SerialError/speedUnsupported(path:speed:)``, also when the driver quietly kept another; ``SerialError/system(_:)``.
    public func setSpeed(_ speed: Int) throws(SerialError) {
        guard isTerminal else { throw .speedUnsupported(path: path, speed: speed) }
        try setLine(speed)
    }

    /// Reads what is there into the start of `buffer`, without waiting.
    public func read(into buffer: inout [UInt8]) -> ReadResult {
        buffer.withUnsafeMutableBytes { read(into: $0) }
    }

    /// Reads what is there into the start of `buffer`, without waiting. An empty buffer gives ``ReadResult/wouldBlock``.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard !buffer.isEmpty else { return .wouldBlock }
        do throws(SystemError) {
            let count = try systemCall("reading \(path)") { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            return count > 0 ? .bytes(count) : .gone(.ended)
        } catch {
            return error.code == EAGAIN ? .wouldBlock : .gone(.failed(error))
        }
    }

    /// Writes without waiting. Nothing is ever written to a receiver unasked: that is the caller's promise.
    public func write(_ bytes: [UInt8]) -> WriteResult {
        guard access == .readWrite else { return .refused }
        do throws(SystemError) {
            return .wrote(try systemCall("writing \(path)") { Glibc.write(descriptor, bytes, bytes.count) })
        } catch {
            return error.code == EAGAIN ? .wouldBlock : .gone(.failed(error))
        }
    }

    /// Gives the claim back, for whoever opened the port before it was claimed and still holds it.
    deinit {
        if isClaimed { _ = linux_terminal_set_exclusive(file.number, false) }
    }
}

/// How a port was lost.
public enum PortLoss: Sendable, Hashable, CustomStringConvertible {
    /// It reads as ended: a terminal that was hung up, as by unplugging.
    case ended
    /// Reading or writing failed: EIO, ENXIO, ENODEV when the device went, any other code when the port is of no more use.
    case failed(SystemError)

    /// The loss in words.
    public var description: String {
        switch self {
        case .ended: "the device was unplugged"
        case .failed(let error): "\(error)"
        }
    }
}
