import CLinux
import Glibc

/// A pseudo-terminal that stands for a serial port: the reader opens its slave, the simulator keeps the master.
///
/// The slave is not kept open here, so that it is known whether anybody listens: bytes sent to nobody are gone, as on a wire.
public struct PseudoTerminal: ~Copyable {
    /// Path of the slave, such as `/dev/pts/3`.
    public let path: String
    /// The speed of the virtual receiver, bits per second.
    private let baud: Int
    let master: Int32
    private var waiting: [UInt8] = []
    /// Bytes that a listener was too slow for.
    public private(set) var lost = 0

    private init(master: Int32, path: String, baud: Int) {
        (self.master, self.path, self.baud) = (master, path, baud)
    }

    /// Opens one in raw mode, set to a line speed.
    ///
    /// - Parameters:
    ///   - baud: Speed of the receiver.
    ///   - lineSpeed: Speed the port is found at; that of the receiver if nil.
    /// - Throws: ``SystemFailure``.
    public static func open(baud: Int, lineSpeed: Int? = nil) throws(SystemFailure) -> PseudoTerminal {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try system("open a pseudo-terminal") { openpty(&master, &slave, nil, nil, nil) }
        var name = [CChar](repeating: 0, count: 128)
        let failure = ttyname_r(slave, &name, name.count)
        // Once opened and closed, the slave counts as hung up until a reader comes.
        close(slave)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let terminal = PseudoTerminal(master: master, path: path, baud: baud)
        guard failure == 0 else { throw SystemFailure(action: "name the pseudo-terminal", code: failure) }
        try system("make \(path) non-blocking") { fcntl(master, F_SETFL, O_NONBLOCK) }
        try system("keep \(path) from children") { fcntl(master, F_SETFD, FD_CLOEXEC) }
        try terminal.makeRaw(LineSpeed.name(of: lineSpeed ?? baud))
        return terminal
    }

    deinit { close(master) }

    private func makeRaw(_ speed: speed_t?) throws(SystemFailure) {
        var settings = termios()
        try system("read the settings of \(path)") { tcgetattr(master, &settings) }
        cfmakeraw(&settings)
        if let speed { cfsetspeed(&settings, speed) }
        try system("set up \(path)") { tcsetattr(master, TCSANOW, &settings) }
    }

    /// Whether anybody has the slave open.
    public var hasListener: Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) >= 0 && Int32(descriptor.revents) & Int32(POLLHUP) == 0
    }

    /// Bits per second the slave is set to; nil for a speed outside the usual ones.
    public var listenerSpeed: Int? {
        var settings = termios()
        guard tcgetattr(master, &settings) == 0 else { return nil }
        return LineSpeed.baud(of: cfgetospeed(&settings))
    }

    /// Sends bytes, as garbage where the listener's speed is another. Never waits: what does not fit queues up to 4,096 bytes, of which
    /// the oldest give way.
    public mutating func send(_ bytes: [UInt8]) {
        guard hasListener else {
            waiting.removeAll(keepingCapacity: true)
            return
        }
        waiting += MismatchedLine.read(bytes, sender: baud, listener: listenerSpeed ?? baud)
        if waiting.count > 4096 {
            lost += waiting.count - 4096
            waiting.removeFirst(waiting.count - 4096)
        }
        while !waiting.isEmpty {
            let count = waiting.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            waiting.removeFirst(count)
        }
    }

    /// What the listener has written since the last call, at most 4,096 bytes.
    public func received() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(master, $0.baseAddress, $0.count) }
        return count > 0 ? Array(buffer[..<count]) : []
    }
}
