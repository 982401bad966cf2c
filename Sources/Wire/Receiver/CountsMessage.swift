import Locator
import NMEA

/// `io.sextant.Receiver`, type `Counts`.
public struct CountsMessage: Codable, Sendable, Equatable {
    public var bytes: Int
    public var sentences: Int
    public var unknown: Int
    public var epochs: Int
    public var fixes: Int
    public var checksumErrors: Int
    public var missingChecksums: Int
    public var overlong: Int
    public var truncated: Int
    public var malformed: Int
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
