import Glibc

/// Descriptors 0, 1 and 2, which programs and libraries read and write without asking what is behind them.
public enum StandardDescriptors {
    /// Puts `/dev/null` behind those of the three that are closed. To write to a closed output fails as before: what was to be read is not
    /// taken for read.
    ///
    /// To be called before anything is opened. open(2) gives the lowest free number: in a program that was started with its standard error
    /// closed the next file, such as a receiver's port or the daemon's socket, would become standard error, and be sent what is printed.
    public static func fill() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // Not closed on exec: children find them as this program should have.
            _ = open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }
}
