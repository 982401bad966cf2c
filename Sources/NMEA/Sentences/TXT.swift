/// A text from the receiver: versions at boot, the state of the antenna (NMEA 0183 TXT).
public struct TXT: Sendable {
    /// Severity by u-blox's count: 0 error, 1 warning, 2 notice, 7 user.
    public var severity: UInt8?
    /// The text; commas within it are kept.
    public var text: ShortText

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        reader.skip(body, 2)
        severity = reader.byte(body)
        guard !reader.atEnd(body) else { return nil }
        text = ShortText(body, reader.at..<body.byteCount)
    }

    /// What it says about the antenna: `ANTSTATUS=OK` (u-blox), `ANTENNA OPEN` (CASIC) and the like; nil where it says nothing.
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
