import Glibc

/// Standard input, output and error, as the program was given them.
enum StandardDescriptors {
    /// Holds the numbers of those that were closed, so that no socket gets one of them, and with it what is printed. To write to a closed
    /// output fails as before.
    static func holdClosed() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // Opened gets the lowest number that is free, which is this one.
            _ = open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }
}
