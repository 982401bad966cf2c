import CLinux
import Glibc

/// Converts between baud rates and termios speed constants.
enum LineSpeed {
    /// Returns the termios constant of a baud rate; nil if the simulator does not support the rate.
    static func constant(of baud: Int) -> speed_t? {
        SimulatorOptions.baudRates.contains(baud) ? linux_speed_constant(Int64(baud)) : nil
    }

    /// Returns the baud rate of a termios constant; nil if the simulator does not support it, as
    /// with `B0`.
    static func baudRate(of constant: speed_t) -> Int? {
        SimulatorOptions.baudRates.first { linux_speed_constant(Int64($0)) == constant }
    }
}
