import CLinux
import Glibc

/// Bits per second as termios names them.
enum LineSpeed {
    private static let names: [(Int, speed_t)] = [
        (1200, speed_t(B1200)), (2400, speed_t(B2400)), (4800, speed_t(B4800)), (9600, speed_t(B9600)), (19_200, speed_t(B19200)),
        (38_400, speed_t(B38400)), (57_600, speed_t(B57600)), (115_200, speed_t(B115200)), (230_400, speed_t(B230400)),
        (460_800, speed_t(B460800)), (500_000, speed_t(B500000)), (576_000, speed_t(B576000)), (921_600, speed_t(B921600)),
        (1_000_000, speed_t(B1000000)), (2_000_000, speed_t(B2000000)),
    ]

    /// Every speed a line can have.
    static var all: [Int] { names.map(\.0) }

    /// The name of a speed; nil when termios has none.
    static func name(of baud: Int) -> speed_t? { names.first { $0.0 == baud }?.1 }

    /// The speed of a name; nil for one not in the table, `B0` among them.
    static func baud(of name: speed_t) -> Int? { names.first { $0.1 == name }?.0 }
}
