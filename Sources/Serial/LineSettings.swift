import CLinux
import Glibc
import SystemCalls

/// The terminal settings of a receiver's line: raw bytes, 8N1, no flow control (termios(3)).
struct LineSettings {
    private var settings = termios()

    /// The settings in force.
    init(of terminal: Int32) throws(SystemError) {
        try systemCall("reading the line settings") { tcgetattr(terminal, &settings) }
    }

    /// Bits per second; `nil` for a speed without a termios constant.
    var speed: Int? {
        let constant = withUnsafePointer(to: settings) { cfgetospeed($0) }
        return Self.speeds.first { linux_speed_constant(Int64($0)) == constant }
    }

    /// - Returns: whether termios has a constant for that speed.
    mutating func setSpeed(_ speed: Int) -> Bool {
        let constant = linux_speed_constant(Int64(speed))
        guard constant != 0 else { return false }
        return cfsetospeed(&settings, constant) == 0 && cfsetispeed(&settings, constant) == 0
    }

    /// As a receiver speaks, and so that nothing of the terminal's comfort touches the bytes.
    ///
    /// - CLOCAL: three-wire receivers drive no carrier detect. CREAD: do receive.
    /// - No CRTSCTS: receivers leave CTS open, and some FTDI pucks hang with it.
    /// - No HUPCL: dropping DTR at close resets some boards and cuts the power of others; a receiver shall go on tracking while nobody reads.
    /// - VMIN 1, VTIME 0: with VMIN 0 a read with nothing to give returns 0, which could not be told from the end of an unplugged device.
    ///   A greater VMIN would hold poll back until that many bytes are there (n_tty), and the tail of a burst for ever.
    mutating func makeRaw() {
        cfmakeraw(&settings)
        settings.c_cflag &= ~(tcflag_t(CSTOPB | HUPCL) | linux_crtscts())
        settings.c_cflag |= tcflag_t(CS8 | CREAD | CLOCAL)
        Self.setControl(&settings, VMIN, 1)
        Self.setControl(&settings, VTIME, 0)
    }

    /// Puts the settings in force at once.
    func apply(to terminal: Int32) throws(SystemError) {
        try systemCall("setting the line") { withUnsafePointer(to: settings) { tcsetattr(terminal, TCSANOW, $0) } }
    }

    /// c_cc is a tuple in Swift.
    private static func setControl(_ settings: inout termios, _ index: Int32, _ value: cc_t) {
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(index)] = value }
    }

    private static let speeds = [
        1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000,
    ]
}
