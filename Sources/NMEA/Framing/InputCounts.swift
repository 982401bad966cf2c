/// What became of the bytes of one port, counted once each, by the first thing that was wrong. Malformed input is a number here, never
/// a trap and never a log line of its own.
public struct InputCounts: Sendable, Equatable {
    /// Bytes taken in.
    public var bytes = 0
    /// Sentences with a right checksum, and those without one from a receiver that never sends any.
    public var sentences = 0
    /// Of ``sentences``: kinds that no decoder here reads.
    public var unknown = 0
    /// Lines whose checksum is wrong.
    public var checksumErrors = 0
    /// Lines without a checksum from a receiver that does send them, or that has not yet shown that it never does.
    public var missingChecksums = 0
    /// Lines longer than ``Framer/longestLine``.
    public var overlong = 0
    /// Lines cut short: another sentence, or a control byte, began before their end.
    public var truncated = 0
    /// Of ``sentences``: right checksum, senseless fields.
    public var malformed = 0
    /// Bytes outside any sentence, line ends not counted: binary protocols, time stamps before the `$`, noise.
    public var strayBytes = 0

    /// All zero.
    public init() {}
}
