/// The response to a command (`PAIR001`; Quectel LC29H protocol specification 1.1).
public struct PAIR001: Sendable {
    /// The number of the command: 50 for `PAIR050`.
    public var command: UInt16
    /// The result of the command; nil if the code is unknown.
    public var result: Result?

    /// The result code in field 2.
    public enum Result: UInt8, Sendable {
        /// The command succeeded.
        case done = 0
        /// The command is valid but failed.
        case failed = 1
        /// The firmware does not support the command.
        case unsupported = 2
        /// A parameter is wrong.
        case badParameter = 3
        /// The receiver is busy.
        case busy = 4
    }

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let number = reader.integer(body).flatMap({ UInt16(exactly: $0) }) else { return nil }
        command = number
        result = reader.byte(body).flatMap(Result.init(rawValue:))
    }
}

/// A request for aiding data at start, after the receiver lost its stored satellite data
/// (`PAIR010`; Quectel LC29H protocol specification 1.1).
public struct PAIR010: Sendable {
    /// 0 orbits, 1 time, 2 position.
    public var dataType: UInt8
    /// 0 GPS, 1 GLONASS, 2 Galileo, 3 BeiDou, 4 QZSS; nil if the request names no system (`-1`).
    public var system: UInt8?
    /// GPS week of the data that the receiver has.
    public var week: UInt16?
    /// Seconds of that week.
    public var timeOfWeek: Int?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let dataType = reader.byte(body) else { return nil }
        self.dataType = dataType
        system = reader.byte(body)
        week = reader.integer(body).flatMap { UInt16(exactly: $0) }
        timeOfWeek = reader.integer(body)
    }
}

/// Chip and firmware of an Airoha receiver, sent at start and in response to `PAIR020` and
/// `PAIR021` (Quectel LC29H protocol specification 1.1; REYAX "RYS352x PAIR command guide").
public struct PAIR021: Sendable {
    /// The release, for example "AG3352Q_V2.3.0.AG3352_20230213".
    public var release: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let name = reader.field(body)
        guard !name.isEmpty else { return nil }
        release = ShortText(body, in: name)
    }
}
