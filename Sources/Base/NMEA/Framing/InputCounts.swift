/// Counts of the bytes and lines of one port. Each line counts once, under its first error.
///
/// Malformed input only increments a count. It never causes a trap or a log line of its own.
public struct InputCounts: Sendable, Equatable {
    /// Bytes received.
    public var bytes = 0
    /// Sentences with a correct checksum, and sentences without one of a talker and formatter that
    /// never have one.
    public var sentences = 0
    /// The part of ``sentences`` whose type has no decoder.
    public var unknown = 0
    /// Lines with a wrong checksum, and lines with a byte that only texts contain.
    public var checksumErrors = 0
    /// Rejected lines without a checksum: sentences of the same talker and formatter have one, or
    /// it is not yet known that they never do.
    public var missingChecksums = 0
    /// Lines longer than ``Framer/maxLine``.
    public var overlong = 0
    /// Truncated lines: another sentence or a control byte occurred before their end.
    public var truncated = 0
    /// The part of ``sentences`` with a correct checksum but invalid fields.
    public var malformed = 0
    /// Bytes outside any sentence, without line ends: binary protocols, time stamps before the `$`,
    /// noise.
    public var strayBytes = 0

    /// Creates counts of zero.
    public init() {}
}
