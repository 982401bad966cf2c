import Glibc

/// Computes dilution of precision from the directions of the satellites used, for receivers that
/// report none.
///
/// The dilutions are the diagonal of the inverse of the normal matrix of the lines of sight (E.
/// Kaplan and C. Hegarty, "Understanding GPS/GNSS", 3rd ed., section 11.2). Each satellite system
/// adds an unknown clock offset. Subtracting a system's mean line of sight eliminates its clock, so
/// the matrix is three by three for any sky. Allocates nothing.
struct SkyGeometry {
    /// The sums of the products of the components of the lines of sight (east, north, up), before
    /// the means are subtracted.
    private var ee = 0.0, en = 0.0, eu = 0.0, nn = 0.0, nu = 0.0, uu = 0.0
    private var clocks = InlineArray<5, Clock>(repeating: Clock())
    private var satellites = 0

    private struct Clock {
        var count = 0.0, east = 0.0, north = 0.0, up = 0.0
    }

    /// Returns the index of a system's clock. QZSS and SBAS use GPS time (IS-QZSS-PNT-005, 3.2;
    /// RTCA DO-229).
    private static func clock(of system: Constellation) -> Int? {
        switch system {
        case .gps, .qzss, .sbas: 0
        case .glonass: 1
        case .galileo: 2
        case .beidou: 3
        case .navic: 4
        case .imes, .unknown: nil
        }
    }

    /// Adds a satellite used, with its direction in degrees.
    mutating func add(_ system: Constellation, elevation: Int, azimuth: Int) {
        guard let clock = SkyGeometry.clock(of: system), (-90...90).contains(elevation), (0...360).contains(azimuth)
        else { return }
        let (height, bearing) = (Double(elevation) * .pi / 180, Double(azimuth) * .pi / 180)
        let level = cos(height)
        let e = level * sin(bearing)
        let n = level * cos(bearing)
        let u = sin(height)
        ee += e * e
        en += e * n
        eu += e * u
        nn += n * n
        nu += n * u
        uu += u * u
        clocks[clock].count += 1
        clocks[clock].east += e
        clocks[clock].north += n
        clocks[clock].up += u
        satellites += 1
    }

    /// Position, horizontal and vertical dilution in three dimensions; nil with too few satellites,
    /// satellites on a cone, or an implausible dilution.
    var threeD: (pdop: Double, hdop: Double, vdop: Double)? {
        let m = withoutClocks
        let a = m.nn * m.uu - m.nu * m.nu
        let b = m.ee * m.uu - m.eu * m.eu
        let c = m.ee * m.nn - m.en * m.en
        let determinant = m.ee * a - m.en * (m.en * m.uu - m.nu * m.eu) + m.eu * (m.en * m.nu - m.nn * m.eu)
        guard satellites >= 3 + m.systems, determinant > 1e-9 else { return nil }
        let (horizontal, vertical) = ((a + b) / determinant, c / determinant)
        guard let hdop = SkyGeometry.dilution(horizontal), let vdop = SkyGeometry.dilution(vertical),
            let pdop = SkyGeometry.dilution(horizontal + vertical)
        else { return nil }
        return (pdop, hdop, vdop)
    }

    /// Horizontal dilution if the height is known.
    var twoD: Double? {
        let m = withoutClocks
        let determinant = m.ee * m.nn - m.en * m.en
        guard satellites >= 2 + m.systems, determinant > 1e-9 else { return nil }
        return SkyGeometry.dilution((m.ee + m.nn) / determinant)
    }

    /// The sums after subtraction of each clock's share.
    private var withoutClocks: (ee: Double, en: Double, eu: Double, nn: Double, nu: Double, uu: Double, systems: Int) {
        var m = (ee: ee, en: en, eu: eu, nn: nn, nu: nu, uu: uu, systems: 0)
        for index in clocks.indices where clocks[index].count > 0 {
            let clock = clocks[index]
            m.ee -= clock.east * clock.east / clock.count
            m.en -= clock.east * clock.north / clock.count
            m.eu -= clock.east * clock.up / clock.count
            m.nn -= clock.north * clock.north / clock.count
            m.nu -= clock.north * clock.up / clock.count
            m.uu -= clock.up * clock.up / clock.count
            m.systems += 1
        }
        return m
    }

    /// The largest plausible dilution. Beyond it the rounding of directions to whole degrees
    /// dominates.
    private static let largest = 90.0

    private static func dilution(_ square: Double) -> Double? {
        let root = square > 0 ? square.squareRoot() : 0
        return root < largest ? Dilution.plausible(root) : nil
    }
}

/// Plausibility checks for dilution of precision as receivers report it.
enum Dilution {
    /// The range of manufacturers' markers for "none": 99.0, 99.9, 99.99 and 100.0 occur. Valid
    /// values occur on both sides: a NovAtel between houses reports 95.4 to 655.3, a Garmin 176.0.
    private static let markers = 99.0...100
    /// A value of this size or more is a marker, not a dilution.
    private static let largest = 1000.0

    /// Returns the value if it is valid. Markers and 0.00 (SkyTraq) are not.
    static func plausible(_ reported: Double?) -> Double? {
        guard let reported, reported > 0.01, !isMarker(reported) else { return nil }
        return reported
    }

    /// Returns whether a value is a marker for "none".
    static func isMarker(_ reported: Double?) -> Bool {
        reported.map { markers.contains($0) || $0 >= largest } ?? false
    }
}
