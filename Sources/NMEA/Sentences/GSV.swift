/// Satellites in view, four to a sentence (NMEA 0183 GSV).
public struct GSV: Sendable {
    /// One satellite of the four.
    public struct InView: Sendable {
        /// As sent; see ``SatelliteNumber``. 0 where the receiver does not know it yet (GLONASS slots).
        public var number: UInt16 = 0
        /// Degrees above the horizon.
        public var elevation: Int8?
        /// Degrees clockwise from true north.
        public var azimuth: UInt16?
        /// dB-Hz; nil when not tracked.
        public var carrierToNoise: UInt8?
        init() {}
    }

    /// Sentences in this round.
    public var total: UInt8
    /// Which of them this is, from 1.
    public var index: UInt8
    /// Satellites in view in all.
    public var satellitesInView: UInt8?
    /// The first ``count`` hold.
    public var satellites = InlineArray<4, InView>(repeating: InView())
    /// Satellites in this sentence, 0 ... 4.
    public var count: UInt8 = 0
    /// NMEA 4.10 signal id; nil before 4.10.
    public var signalID: UInt8?
    /// System id, which only Quectel's PQGSV adds.
    public var systemID: UInt8?

    init?(_ body: RawSpan, _ reader: inout FieldReader) {
        guard let total = reader.byte(body), let index = reader.byte(body), index >= 1, index <= 32, total <= 32 else { return nil }
        self.total = total
        self.index = index
        satellitesInView = reader.byte(body)
        // What is left over when the satellites are taken out tells the version: a signal id (4.10), or also a system id (Quectel).
        let fields = reader.remaining(body)
        for _ in 0..<min(4, fields / 4) { readSatellite(body, &reader) }
        // Three are a satellite cut short.
        if fields % 4 == 1 || fields % 4 == 2 { signalID = reader.hexadecimalDigit(body) }
        if fields % 4 == 2 { systemID = reader.hexadecimalDigit(body) }
    }

    private mutating func readSatellite(_ body: RawSpan, _ reader: inout FieldReader) {
        var satellite = InView()
        satellite.number = reader.integer(body).flatMap { UInt16(exactly: $0) } ?? 0
        satellite.elevation = reader.decimal(body).flatMap { Int8(exactly: $0.rounded()) }
        satellite.azimuth = reader.integer(body).flatMap { UInt16(exactly: $0) }
        satellite.carrierToNoise = reader.byte(body).flatMap { $0 > 0 ? $0 : nil }
        // Some receivers fill the sentence up with empty places.
        guard satellite.number > 0 || satellite.carrierToNoise != nil else { return }
        satellites[Int(count)] = satellite
        count += 1
    }
}
