/// The datum of the positions (NMEA 0183 DTM). Empty without a fix.
///
/// IEC 61162-1 defines the offsets so that the position in the local datum is the one in the
/// reference datum plus the offset.
public struct DTM: Sendable {
    /// Whether the positions agree with WGS-84 within a metre; nil if no datum is reported.
    ///
    /// A datum whose offsets are below a metre agrees (a phone reports `P90` so). Offsets of 0 are
    /// a placeholder in a national datum. Without offsets `999` and `P90` agree: receivers send
    /// `999` by default, and PZ-90.11 differs from WGS-84 by centimetres.
    public private(set) var isWGS84: Bool?
    /// Minutes of latitude, north positive.
    @Reported public var latitudeOffset: Double?
    /// Minutes of longitude, east positive.
    @Reported public var longitudeOffset: Double?
    /// Metres of altitude.
    @Reported public var altitudeOffset: Double?
    /// The first eight letters of the name, the first in the lowest byte.
    private var letters: UInt64 = 0

    /// Minutes. Positions with smaller offsets agree with WGS-84 within a metre.
    private static let negligibleOffset = 1 / 1852.0

    init?(_ body: RawSpan, reader: inout FieldReader) {
        let field = reader.field(body)
        for index in field.prefix(8).reversed() { letters = letters << 8 | UInt64(body.byte(at: index)) }
        reader.skip(body)
        latitudeOffset = reader.decimal(body)
        if reader.letter(body) == UInt8(ascii: "S") { latitudeOffset?.negate() }
        longitudeOffset = reader.decimal(body)
        if reader.letter(body) == UInt8(ascii: "W") { longitudeOffset?.negate() }
        altitudeOffset = reader.decimal(body)
        let reference = reader.field(body)
        guard !field.isEmpty else { return }
        let name = ShortText(body, in: field)
        isWGS84 =
            DTM.isEquivalent(name)
            || (reference.isEmpty || DTM.isEquivalent(ShortText(body, in: reference)))
                && hasNegligibleOffset(isGeneral: name.contains("999") || name.contains("P90"))
    }

    /// The local datum: `W84`, `W72`, `S85`, `P90`, `999` (user defined) or a code of IHO S-60, at
    /// most eight letters; empty if not reported.
    public var name: String {
        let bytes = stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: letters >> $0) }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether the offsets are below a metre. Missing ones and zeros are, if the datum is general.
    private func hasNegligibleOffset(isGeneral: Bool) -> Bool {
        guard let north = latitudeOffset, let east = longitudeOffset else { return isGeneral }
        let largest = max(north.magnitude, east.magnitude)
        return largest < DTM.negligibleOffset && (isGeneral || largest > 0)
    }

    /// Whether a name is that of WGS-84, or of a realization of the ITRS or ETRS89, which agree
    /// with it within a metre.
    private static func isEquivalent(_ name: ShortText) -> Bool {
        let names: [StaticString] = ["W84", "WGS", "ITR", "IGS", "ETR", "JGD", "CGC"]
        return !name.contains("72") && names.contains { name.contains($0) }
    }
}
