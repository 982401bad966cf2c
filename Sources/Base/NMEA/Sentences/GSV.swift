/// Satellites in view, up to four per sentence (NMEA 0183 GSV).
public struct GSV: Sendable {
    /// A satellite in view.
    public struct SatelliteInView: Sendable {
        /// The satellite number as sent; see `SatelliteNumber` in Positioning. 0 if the receiver
        /// does not know it yet (GLONASS slots).
        public var number: UInt16 = 0
        /// Degrees above the horizon.
        public var elevation: Int8?
        /// Degrees clockwise from true north.
        public var azimuth: UInt16?
        /// dB-Hz; nil if not tracked.
        public var carrierToNoise: UInt8?
        init() {}
    }

    /// The number of sentences in this sequence.
    public var sentenceCount: UInt8
    /// The index of this sentence in the sequence, from 1.
    public var sentenceIndex: UInt8
    /// The total number of satellites in view.
    public var satellitesInView: UInt8?
    /// The satellites of this sentence; only the first ``count`` are valid.
    public var satellites = InlineArray<4, SatelliteInView>(repeating: SatelliteInView())
    /// The number of satellites in this sentence, 0 ... 4.
    public var count: UInt8 = 0
    /// NMEA 4.10 signal id; nil before 4.10.
    public var signalID: UInt8?
    /// System id, present only in Quectel's PQGSV.
    public var systemID: UInt8?

    init?(_ body: RawSpan, reader: inout FieldReader) {
        guard let sentenceCount = reader.byte(body), let sentenceIndex = reader.byte(body), sentenceIndex >= 1,
            sentenceIndex <= 32, sentenceCount <= 32
        else { return nil }
        self.sentenceCount = sentenceCount
        self.sentenceIndex = sentenceIndex
        satellitesInView = reader.byte(body)
        // The fields after the satellites indicate the version: one is a signal id (4.10), two are
        // a signal id and a system id (Quectel).
        let fields = reader.remaining(body)
        for _ in 0..<min(4, fields / 4) { readSatellite(body, reader: &reader) }
        // Three fields are a truncated satellite.
        if fields % 4 == 1 || fields % 4 == 2 { signalID = reader.hexadecimalDigit(body) }
        if fields % 4 == 2 { systemID = reader.hexadecimalDigit(body) }
    }

    private mutating func readSatellite(_ body: RawSpan, reader: inout FieldReader) {
        var satellite = SatelliteInView()
        satellite.number = reader.integer(body).flatMap { UInt16(exactly: $0) } ?? 0
        satellite.elevation = reader.decimal(body).flatMap { Int8(exactly: $0.rounded()) }
        satellite.azimuth = reader.integer(body).flatMap { UInt16(exactly: $0) }
        satellite.carrierToNoise = reader.byte(body).flatMap { $0 > 0 ? $0 : nil }
        // Some receivers fill the sentence with empty satellites.
        guard satellite.number > 0 || satellite.carrierToNoise != nil else { return }
        satellites[Int(count)] = satellite
        count += 1
    }
}
