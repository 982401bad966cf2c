/// A text message of the receiver, such as its versions at boot or the antenna state (NMEA 0183
/// TXT).
public struct TXT: Sendable {
    /// The severity in u-blox's numbering: 0 error, 1 warning, 2 notice, 7 user.
    public var severity: UInt8?
    /// The text, including commas.
    public var text: ShortText

    init?(_ body: RawSpan, reader: inout FieldReader) {
        reader.skip(body, count: 2)
        severity = reader.byte(body)
        guard !reader.atEnd(body) else { return nil }
        text = ShortText(body, in: reader.offset..<body.byteCount)
    }

    /// Whether the text announces a simulated receiver: `SIMULATED BY` and the name of the program.
    /// `sextant simulate` sends such a text (`docs/decisions/0004-simulated-receivers.md`).
    public var announcesSimulation: Bool { text.contains("SIMULATED BY ") }

    /// The antenna state in the text, such as `ANTSTATUS=OK` (u-blox) or `ANTENNA OPEN` (CASIC);
    /// nil if the text has none.
    public var antenna: Antenna? {
        guard text.contains("ANT") else { return nil }
        if text.contains("OPEN") { return .open }
        if text.contains("SHORT") { return .short }
        return text.contains("OK") ? .good : nil
    }

    /// The state of an antenna.
    public enum Antenna: String, Sendable {
        /// Connected.
        case good
        /// Not connected.
        case open
        /// Shorted.
        case short
    }
}
