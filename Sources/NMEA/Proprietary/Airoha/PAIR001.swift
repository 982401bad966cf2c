/// The answer to a command (`PAIR001`; Quectel LC29H protocol specification 1.1).
public struct PAIR001: Sendable {
    /// Number of the command answered: 50 for `PAIR050`.
    public var command: UInt16
    /// What became of it; nil where the receiver says something else.
    public var result: Result?

    /// By field 2.
    public enum Result: UInt8, Sendable {
        /// Done.
        case done = 0
        /// Understood, and failed.
        case failed = 1
        /// Not on this firmware.
        case unsupported = 2
        /// A parameter is wrong.
        case badParameter = 3
        /// No time for it now.
        case busy = 4
    }

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let number = reader.integer(body).flatMap({ UInt16(exactly: $0) }) else { return nil }
        command = number
        result = reader.byte(body).flatMap(Result.init(rawValue:))
    }
}
