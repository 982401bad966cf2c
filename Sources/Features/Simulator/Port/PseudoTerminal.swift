import CLinux
import Glibc
import SystemCalls

/// A pseudo-terminal in place of a serial port: the reader opens the slave, the simulator keeps the
/// master.
///
/// The simulator keeps the slave closed, so that it can detect whether a program has it open. Bytes
/// sent without a reader are lost, as on a real line.
package struct PseudoTerminal: ~Copyable {
    /// Path of the slave, such as `/dev/pts/3`.
    package let path: String
    /// The baud rate of the simulated receiver.
    private let baud: Int
    /// The descriptor of the master, for tests that wait for input.
    package let master: Int32
    /// Bytes sent but not yet accepted by the terminal.
    private var queue: [UInt8] = []
    /// Bytes lost because the reader was too slow.
    package private(set) var lostBytes = 0

    private init(master: Int32, path: String, baud: Int) {
        self.master = master
        self.path = path
        self.baud = baud
    }

    /// Opens a pseudo-terminal in raw mode with a baud rate.
    ///
    /// - Parameters:
    ///   - baud: Baud rate of the receiver.
    ///   - portBaud: Initial baud rate of the port; that of the receiver if nil.
    /// - Throws: ``SystemError``.
    package static func open(baud: Int, portBaud: Int? = nil) throws(SystemError) -> PseudoTerminal {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try systemCall("opening a pseudo-terminal") { openpty(&master, &slave, nil, nil, nil) }
        var name = [CChar](repeating: 0, count: 128)
        let errorCode = ttyname_r(slave, &name, name.count)
        // After one open and close, the slave counts as hung up until a reader opens it.
        close(slave)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let terminal = PseudoTerminal(master: master, path: path, baud: baud)
        guard errorCode == 0 else {
            throw SystemError(code: errorCode, operation: "getting the name of the pseudo-terminal")
        }
        try systemCall("setting \(path) to non-blocking mode") { fcntl(master, F_SETFL, O_NONBLOCK) }
        try systemCall("setting \(path) to close on exec") { fcntl(master, F_SETFD, FD_CLOEXEC) }
        try systemCall("setting \(path) to packet mode") { linux_terminal_set_packet_mode(master) }
        try terminal.makeRaw(speed: BaudRate.constant(of: portBaud ?? baud))
        return terminal
    }

    deinit { close(master) }

    private func makeRaw(speed: speed_t?) throws(SystemError) {
        var settings = termios()
        try systemCall("reading the settings of \(path)") { tcgetattr(master, &settings) }
        cfmakeraw(&settings)
        if let speed { cfsetspeed(&settings, speed) }
        try systemCall("configuring \(path)") { tcsetattr(master, TCSANOW, &settings) }
    }

    /// Whether a program has the slave open.
    package var hasReader: Bool {
        var descriptor = pollfd(fd: master, events: 0, revents: 0)
        return uninterrupted { poll(&descriptor, 1, 0) } >= 0 && Int32(descriptor.revents) & Int32(POLLHUP) == 0
    }

    /// The baud rate set on the slave; nil if it is not a supported one.
    package var readerBaudRate: Int? {
        var settings = termios()
        guard tcgetattr(master, &settings) == 0 else { return nil }
        return BaudRate.rate(of: cfgetospeed(&settings))
    }

    /// Sends bytes, garbled if the reader's baud rate differs. It never blocks: up to 4,096 bytes
    /// are queued, and the oldest are dropped.
    package mutating func send(_ bytes: [UInt8]) {
        guard hasReader else {
            queue.removeAll(keepingCapacity: true)
            return
        }
        queue += BaudRateMismatch.read(bytes, sender: baud, listener: readerBaudRate ?? baud)
        if queue.count > 4096 {
            lostBytes += queue.count - 4096
            queue.removeFirst(queue.count - 4096)
        }
        while !queue.isEmpty {
            let count = queue.withUnsafeBytes { bytes in
                uninterrupted { write(master, bytes.baseAddress, bytes.count) }
            }
            if count <= 0 { return }
            queue.removeFirst(count)
        }
    }

    /// Returns the bytes that the reader has written since the last call, at most 4,096.
    package func received() -> [UInt8] {
        var discarded = false
        return received(discarded: &discarded)
    }

    /// Returns the bytes that the reader has written since the last call, at most 4,096.
    ///
    /// - Parameter discarded: Becomes true if the reader has discarded sent bytes since the last
    ///   call.
    package func received(discarded: inout Bool) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4097)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                uninterrupted { read(master, bytes.baseAddress, bytes.count) }
            }
            guard count > 0 else { return [] }
            // In packet mode, the first byte is a status, and zero before data (ioctl_tty(2)).
            if buffer[0] == 0 { return Array(buffer[1..<count]) }
            if Int32(buffer[0]) & TIOCPKT_FLUSHREAD != 0 { discarded = true }
        }
    }
}

/// Converts between baud rates and termios speed constants.
enum BaudRate {
    /// Returns the termios constant of a baud rate; nil if the simulator does not support the rate.
    static func constant(of baud: Int) -> speed_t? {
        SimulatorOptions.baudRates.contains(baud) ? linux_speed_constant(Int64(baud)) : nil
    }

    /// Returns the baud rate of a termios constant; nil if the simulator does not support it, as
    /// with `B0`.
    static func rate(of constant: speed_t) -> Int? {
        SimulatorOptions.baudRates.first { linux_speed_constant(Int64($0)) == constant }
    }
}
