/// Time, position and type of the fix (`PTNL,GGK`; Trimble 5700 and T4D manuals; capture
/// `dotmorten_trimbleR2`).
///
/// The date begins with the month. The DOP is PDOP: in the capture it equals the PDOP of GSA and
/// exceeds the HDOP of GGA.
public struct PTNLGGK: Sendable {
    /// UTC of the fix.
    public var time: TimeOfDay?
    /// Day, month and two-digit year.
    public var date: ShortDate?
    /// The position; nil if the fields are empty.
    public var position: Position?
    /// Trimble's quality code: 0 none, 1 autonomous, 2 RTK float, 3 RTK fixed, 4 DGPS, 5 SBAS, 6
    /// ... 9 network RTK (even codes are float), 10 OmniSTAR HP and XP, 11 OmniSTAR VBS, 12
    /// location RTK, 13 beacon.
    public var quality: UInt8?
    /// Satellites used.
    public var satellitesUsed: UInt8?
    /// Position dilution of precision as reported.
    @Reported public var pdop: Double?
    /// Metres above the ellipsoid.
    @Reported public var ellipsoidalAltitude: Double?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        date = reader.monthFirstDate(body)
        position = reader.position(body)
        guard !reader.atEnd(body) else { return nil }
        quality = reader.byte(body)
        satellitesUsed = reader.byte(body)
        pdop = reader.decimal(body)
        // The field has a prefix: "EHT371.467".
        let height = reader.field(body)
        guard height.count > 3, body.byte(at: height.lowerBound) == UInt8(ascii: "E") else { return }
        ellipsoidalAltitude = DecimalField(body, in: height.dropFirst(3))?.value
    }
}
