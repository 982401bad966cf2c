import Glibc

/// Descriptors 0, 1 and 2, which programs and libraries use without checking them.
package enum StandardDescriptors {
    /// Opens `/dev/null` for each standard descriptor that is closed. Writing to a closed standard
    /// output still fails, so a program does not assume that its output was read.
    ///
    /// Call this function before the program opens anything. open(2) returns the lowest free
    /// number. If a program starts with standard error closed, the next file that it opens becomes
    /// standard error. A receiver's port or the daemon's socket would then receive the diagnostic
    /// output.
    package static func openMissing() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // Do not close the descriptor on exec: child processes need it too.
            uninterrupted { open("/dev/null", number == STDOUT_FILENO ? O_RDONLY : O_RDWR) }
        }
    }
}
