@_exported import enum SextantAPI.Constellation

/// A satellite in view from GSV and GSA. System, number and signal identify it; the number is for
/// display and counting only.
public struct VisibleSatellite: Sendable, Equatable {
    /// The constellation.
    public var system: Constellation
    /// The number within its constellation: GPS 1-32, SBAS 120-158, GLONASS slot 1-32, Galileo
    /// 1-36, BeiDou 1-63, QZSS 1-10, NavIC 1-18; nil for a GLONASS satellite with an unknown slot.
    public var number: Int?
    /// The NMEA 4.10 signal id (hexadecimal digit); nil before 4.10.
    public var signal: Int?
    /// Degrees above the horizon, -90 ... 90.
    public var elevation: Int?
    /// Degrees clockwise from true north, 0 ... 359.
    public var azimuth: Int?
    /// Carrier-to-noise density in dB-Hz; nil when not tracked.
    public var carrierToNoise: Int?
    /// Whether the fix of this epoch uses the satellite.
    public var used: Bool

    /// Creates a satellite from its identity alone.
    public init(system: Constellation, number: Int?, signal: Int? = nil) {
        self.system = system
        self.number = number
        self.signal = signal
        used = false
    }
}

/// All satellites of the receiver's last complete GSV round.
public struct SkyView: Sendable, Equatable {
    /// The satellites in the receiver's order, one entry per system, number and signal.
    public var satellites: [VisibleSatellite] = []
    /// Position dilution of precision, 0.01 ..< 1000. If the receiver reports no HDOP, all three
    /// dilutions are computed from the directions of the satellites used.
    public var pdop: Double?
    /// Horizontal dilution of precision; see ``pdop``.
    public var hdop: Double?
    /// Vertical dilution of precision; see ``pdop``.
    public var vdop: Double?

    /// Creates a view without satellites.
    public init() {}
}
