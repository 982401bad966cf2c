/// The satellites of a u-blox receiver in one long sentence (`PUBX,03`; u-blox M8 protocol
/// description, NMEA-PUBX-SVSTATUS).
///
/// One sentence may have 32 or more satellites, too many to copy at once. The decoder returns them
/// in parts of ``maxSatellitesPerPart`` satellites, like GSV.
public struct PUBX03: Sendable {
    /// The maximum number of satellites in one part.
    public static let maxSatellitesPerPart = 8

    /// The number of satellites in the whole sentence, as reported.
    public var totalSatelliteCount: UInt8
    /// The number of satellites in the preceding parts.
    public var precedingCount: UInt8 = 0
    /// The satellites; only the first ``count`` are valid. The numbers follow u-blox's own scheme,
    /// see `SatelliteNumber` in Positioning.
    public var satellites = InlineArray<8, GSV.SatelliteInView>(repeating: GSV.SatelliteInView())
    /// The number of satellites in this part, 0 ... 8.
    public var count: UInt8 = 0
    /// Whether this is the last part.
    public var isLast = true
    /// One bit for each satellite used in the fix (`U`), the first satellite in the lowest bit.
    private var usedMask: UInt8 = 0
    private var nextPartOffset: UInt16 = 0

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let totalSatelliteCount = reader.byte(body) else { return nil }
        self.totalSatelliteCount = totalSatelliteCount
        read(body, reader: &reader)
    }

    /// Returns whether the fix uses the satellite at `index` in this part.
    public func isUsed(at index: Int) -> Bool {
        index >= 0 && index < PUBX03.maxSatellitesPerPart && usedMask >> UInt8(index) & 1 == 1
    }

    /// Advances to the next part of the same body; returns false if there is none.
    mutating func advance(_ body: RawSpan) -> Bool {
        guard !isLast else { return false }
        var reader = FieldReader(at: Int(nextPartOffset))
        // Cannot wrap: a sentence has far fewer than 255 satellites.
        precedingCount &+= count
        (count, usedMask) = (0, 0)
        read(body, reader: &reader)
        return count > 0
    }

    private mutating func read(_ body: RawSpan, reader: inout FieldReader) {
        while count < UInt8(PUBX03.maxSatellitesPerPart), Int(precedingCount) + Int(count) < Int(totalSatelliteCount),
            !reader.atEnd(body)
        {
            var satellite = GSV.SatelliteInView()
            satellite.number = reader.byte(body).map(UInt16.init) ?? 0
            let isUsed = reader.letter(body) == UInt8(ascii: "U")
            satellite.azimuth = reader.integer(body).flatMap { UInt16(exactly: $0) }
            satellite.elevation = reader.decimal(body).flatMap { Int8(exactly: $0.rounded()) }
            satellite.carrierToNoise = reader.byte(body).flatMap { $0 > 0 ? $0 : nil }
            // Skip the seconds of carrier lock.
            reader.skip(body)
            if isUsed { usedMask |= 1 << count }
            satellites[Int(count)] = satellite
            count += 1
        }
        isLast = Int(precedingCount) + Int(count) >= Int(totalSatelliteCount) || reader.atEnd(body)
        nextPartOffset = UInt16(truncatingIfNeeded: min(reader.offset, body.byteCount + 1))
    }
}

/// Time and date of a u-blox receiver's clock (`PUBX,04`; u-blox M8 protocol description,
/// NMEA-PUBX-TIME).
public struct PUBX04: Sendable {
    /// UTC, computed with ``leapSeconds``.
    public var time: TimeOfDay?
    /// Day, month and two-digit year.
    public var date: ShortDate?
    /// Seconds between GPS time and UTC.
    public var leapSeconds: Int16?
    /// Whether ``leapSeconds`` is the firmware's default (`15D`). No satellite has sent the value
    /// yet, so ``time`` may be wrong by seconds.
    public var isLeapSecondDefault = false

    init?(_ body: RawSpan, reader: inout FieldReader) {
        time = reader.time(body)
        guard !reader.atEnd(body) else { return nil }
        date = reader.date(body)
        reader.skip(body, count: 2)
        let field = reader.field(body)
        let digits = LeadingDigits(body, in: field)
        guard digits.count > 0 else { return }
        leapSeconds = Int16(exactly: digits.value)
        isLeapSecondDefault = digits.end < field.upperBound && body.byte(at: digits.end) == UInt8(ascii: "D")
    }
}
