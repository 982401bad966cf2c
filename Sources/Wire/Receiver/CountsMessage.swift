import Locator
import NMEA

/// `io.sextant.Receiver`, type `Counts`.
public struct CountsMessage: Codable, Sendable, Equatable {
    /// Bytes read from the port.
    public var bytes: Int
    /// Sentences with a right checksum, or without one where the receiver sends none.
    public var sentences: Int
    /// Of these: sentences of a kind that is not decoded.
    public var unknown: Int
    /// Epochs closed, each with one fix or none.
    public var epochs: Int
    /// Epochs with a position.
    public var fixes: Int
    /// Lines whose checksum is wrong.
    public var checksumErrors: Int
    /// Lines without a checksum from a receiver that sends them.
    public var missingChecksums: Int
    /// Lines longer than 1,024 bytes.
    public var overlong: Int
    /// Lines cut short by the start of another sentence.
    public var truncated: Int
    /// Sentences with a right checksum whose fields make no sense.
    public var malformed: Int
    /// Bytes outside any sentence: binary protocols, noise.
    public var strayBytes: Int

    /// The counts of a report.
    public init(_ report: ReceiverReport) {
        let counts = report.counts
        bytes = counts.bytes
        sentences = counts.sentences
        unknown = counts.unknown
        epochs = report.epochs
        fixes = report.fixes
        checksumErrors = counts.checksumErrors
        missingChecksums = counts.missingChecksums
        overlong = counts.overlong
        truncated = counts.truncated
        malformed = counts.malformed
        strayBytes = counts.strayBytes
    }
}
