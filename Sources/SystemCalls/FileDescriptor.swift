import Glibc

/// An open file descriptor with exactly one owner, closed when the owner goes.
public struct FileDescriptor: ~Copyable {
    /// The number the kernel knows it by; valid as long as this value lives.
    public let number: Int32

    /// Takes over a descriptor that nobody else will close.
    public init(owning number: Int32) {
        self.number = number
    }

    /// Gives the descriptor away: the caller closes it from now on.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    // close(2) is not repeated on EINTR: on Linux the descriptor is gone by then, and its number may be somebody else's.
    deinit { _ = close(number) }
}
