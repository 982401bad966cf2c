import CLinux
import Glibc
import SystemCalls

/// The terminal settings of a receiver's line: raw bytes, 8N1, no flow control (termios(3)).
struct LineSettings {
    private var settings = termios()

    /// Reads the current settings.
    init(of terminal: Int32) throws(SystemError) {
        try systemCall("reading the line settings") { tcgetattr(terminal, &settings) }
    }

    /// The rate in bits per second; nil if termios has no constant for it.
    var speed: Int? {
        let constant = withUnsafePointer(to: settings) { cfgetospeed($0) }
        return Self.speeds.first { linux_speed_constant(Int64($0)) == constant }
    }

    /// - Returns: Whether termios has a constant for the rate.
    mutating func setSpeed(_ speed: Int) -> Bool {
        let constant = linux_speed_constant(Int64(speed))
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

    /// Applies the settings immediately.
    func apply(to terminal: Int32) throws(SystemError) {
        try systemCall("applying the line settings") {
            withUnsafePointer(to: settings) { tcsetattr(terminal, TCSANOW, $0) }
        }
    }

    /// c_cc is a tuple in Swift.
    private static func setControl(_ settings: inout termios, at index: Int32, to value: cc_t) {
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(index)] = value }
    }

    private static let speeds = [
        1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000,
    ]
}
