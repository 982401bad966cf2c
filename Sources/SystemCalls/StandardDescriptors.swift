import Glibc

/// Descriptors 0, 1 and 2, which programs and libraries read and write without asking what is behind them.
public enum StandardDescriptors {
    /// Puts `/dev/null` behind those of the three that are closed.
    ///
    /// To be called before anything is opened. open(2) gives the lowest free number: in a program that was started with its standard error
    /// closed the next file, such as a receiver's port, would become standard error, and be sent what is logged.
    public static func fill() {
        // Not closed on exec: children find them as this program should have.
        while case let number = open("/dev/null", O_RDWR), number >= 0 {
            guard number > STDERR_FILENO else { continue }
            _ = close(number)
            return
        }
    }
}
