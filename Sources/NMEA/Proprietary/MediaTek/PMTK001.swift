/// The answer to a command (`PMTK001`; GlobalTop "PMTK command packet", revision A08).
public struct PMTK001: Sendable {
    /// Number of the command answered: 605 for `PMTK605`.
    public var command: UInt16
    /// What became of it; nil where the receiver says something else.
    public var result: Result?

    /// By field 2.
    public enum Result: UInt8, Sendable {
        /// No such packet.
        case invalid = 0
        /// Not on this firmware.
        case unsupported = 1
        /// Understood, and failed.
        case failed = 2
        /// Done.
        case done = 3
    }

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let number = reader.integer(body).flatMap({ UInt16(exactly: $0) }) else { return nil }
        command = number
        result = reader.byte(body).flatMap(Result.init(rawValue:))
    }
}
