import CLinux

/// What may happen to a file descriptor (epoll(7)).
public struct IOEvents: OptionSet, Sendable, Hashable {
    /// The bits of `EPOLLIN` and its like.
    public let rawValue: UInt32

    /// A set of epoll's bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There is something to read, or a connection to accept (EPOLLIN).
    public static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    /// There is room to write (EPOLLOUT).
    public static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// The other side will write no more, but may still read (EPOLLRDHUP); told only when asked for.
    public static let peerFinished = IOEvents(rawValue: EPOLLRDHUP.rawValue)
    /// The other side is gone, or the device was unplugged (EPOLLHUP); always told.
    public static let hangup = IOEvents(rawValue: EPOLLHUP.rawValue)
    /// The descriptor is in error (EPOLLERR); always told.
    public static let failure = IOEvents(rawValue: EPOLLERR.rawValue)
}
