/// The satellites that a u-blox receiver knows of, in one long sentence (`PUBX,03`; u-blox M8 protocol description, NMEA-PUBX-SVSTATUS).
///
/// One sentence may name 32 satellites and more, which is too much to be copied about: it is handed on in parts of ``room``, as GSV comes.
public struct PUBX03: Sendable {
    /// Satellites of one part.
    public static let room = 8

    /// Satellites that the whole sentence says it has.
    public var total: UInt8
    /// How many of them came in the parts before this one.
    public var first: UInt8 = 0
    /// The first ``count`` hold. Numbers are u-blox's own, see ``SatelliteNumber``.
    public var satellites = InlineArray<8, GSV.InView>(repeating: GSV.InView())
    /// Satellites in this part, 0 ... 8.
    public var count: UInt8 = 0
    /// Whether no part follows.
    public var isLast = true
    /// A bit for each satellite that the position was made with (`U`), the first in the lowest.
    private var used: UInt8 = 0
    /// Where the next part begins in the body.
    private var next: UInt16 = 0

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let total = reader.byte(body) else { return nil }
        self.total = total
        read(body, &reader)
    }

    /// Whether the satellite at a place in this part was used.
    public func isUsed(_ place: Int) -> Bool { place >= 0 && place < PUBX03.room && used >> UInt8(place) & 1 == 1 }

    /// Goes on to the next part of the same body; false where there is none.
    mutating func advance(_ body: RawSpan) -> Bool {
        guard !isLast else { return false }
        var reader = FieldReader(at: Int(next))
        first &+= count
        (count, used) = (0, 0)
        read(body, &reader)
        return count > 0
    }

    private mutating func read(_ body: RawSpan, _ reader: inout FieldReader) {
        while count < UInt8(PUBX03.room), Int(first) + Int(count) < Int(total), !reader.atEnd(body) {
            var satellite = GSV.InView()
            satellite.number = reader.byte(body).map(UInt16.init) ?? 0
            let isUsed = reader.letter(body) == UInt8(ascii: "U")
            satellite.azimuth = reader.integer(body).flatMap { UInt16(exactly: $0) }
            satellite.elevation = reader.decimal(body).flatMap { Int8(exactly: $0.rounded()) }
            satellite.carrierToNoise = reader.byte(body).flatMap { $0 > 0 ? $0 : nil }
            // Seconds of carrier lock.
            reader.skip(body)
            if isUsed { used |= 1 << count }
            satellites[Int(count)] = satellite
            count += 1
        }
        isLast = Int(first) + Int(count) >= Int(total) || reader.atEnd(body)
        next = UInt16(truncatingIfNeeded: min(reader.at, body.byteCount + 1))
    }
}
