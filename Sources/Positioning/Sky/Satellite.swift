/// A satellite in view as GSV and GSA tell it. Keyed by system, number and signal; the number is for display and counting only.
public struct Satellite: Sendable, Equatable {
    /// The constellation.
    public var system: Constellation
    /// Number within its constellation as the field counts it: GPS 1-32, SBAS 120-158, GLONASS slot 1-32, Galileo 1-36, BeiDou 1-63,
    /// QZSS 1-10, NavIC 1-18; nil for a GLONASS satellite whose slot is not known yet.
    public var number: Int?
    /// NMEA 4.10 signal id (hexadecimal digit), nil before 4.10.
    public var signal: Int?
    /// Degrees above the horizon, -90 ... 90.
    public var elevation: Int?
    /// Degrees clockwise from true north, 0 ... 359.
    public var azimuth: Int?
    /// Carrier to noise density in dB-Hz; nil when not tracked.
    public var carrierToNoise: Int?
    /// Used in the fix of this epoch.
    public var used: Bool

    /// A satellite of which only the identity is known.
    public init(system: Constellation, number: Int?, signal: Int? = nil) {
        self.system = system
        self.number = number
        self.signal = signal
        used = false
    }
}

/// A satellite navigation system; raw values are the wire's names.
public enum Constellation: String, Sendable, Codable, CaseIterable {
    case gps, glonass, galileo, beidou, qzss, navic, sbas, imes
    /// A number outside every table.
    case unknown
}

/// Every satellite the receiver told of in its last complete round of GSV.
public struct SkyView: Sendable, Equatable {
    /// In the receiver's order. One entry per system, number and signal.
    public var satellites: [Satellite] = []
    /// Position, horizontal and vertical dilution of precision, 0.01 ..< 1000: the receiver's, or where it states no horizontal one all three
    /// by the directions of the satellites in use.
    public var pdop: Double?
    /// See ``pdop``.
    public var hdop: Double?
    /// See ``pdop``.
    public var vdop: Double?

    /// An empty sky.
    public init() {}
}
