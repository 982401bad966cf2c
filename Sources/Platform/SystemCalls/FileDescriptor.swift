import Glibc

/// An open file descriptor with exactly one owner. Closes the descriptor when the owner's lifetime
/// ends.
package struct FileDescriptor: ~Copyable {
    /// The descriptor's number in the kernel; valid during the lifetime of this value.
    package let number: Int32

    /// Takes ownership of a descriptor that no other code closes.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Releases ownership without closing the descriptor; the caller must close it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    // Do not repeat close(2) on EINTR: Linux has already closed the descriptor, and another file
    // may use its number.
    deinit { _ = close(number) }
}
