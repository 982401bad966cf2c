import NMEA

/// Converts the satellite numbers of GSV and GSA, which differ between manufacturers and versions
/// of NMEA.
///
/// Sources: NMEA 0183 4.11 section on GSA; u-blox M8 and M9 protocol descriptions, "Satellite
/// numbering"; Quectel EG25-G; gpsd's "NMEA.adoc" table of satellite ids. For display and counting
/// only: nothing else may depend on them.
enum SatelliteNumber {
    /// Returns the constellation and the number within it.
    ///
    /// - Parameters:
    ///   - number: The number as sent, 1 or more; 0 if the receiver does not know the slot yet.
    ///   - address: The address whose talker names the constellation if `systemID` does not.
    ///   - systemID: The system id of NMEA 4.1. It takes precedence over the talker, since some
    ///     receivers use `GP` for everything.
    static func resolve(_ number: Int, address: Address, systemID: Int?) -> (system: Constellation, number: Int?) {
        let system = systemID.flatMap(Constellation.init(systemID:)) ?? Constellation(talker: address.talker)
        guard number > 0 else { return (system ?? .unknown, nil) }
        if let system, let localNumber = numberWithin(system, from: number) { return (system, localNumber) }
        return byRange(number)
    }

    /// Returns the constellation and number for u-blox's own numbering, as in `PUBX,03` (u-blox M8
    /// protocol description, "Satellite numbering"): one range of 8 bits for all systems.
    static func resolve(ublox number: Int) -> (system: Constellation, number: Int?) {
        switch number {
        case 1...32: (.gps, number)
        case 33...64: (.beidou, number - 27)
        case 65...96: (.glonass, number - 64)
        case 120...158: (.sbas, number)
        case 159...163: (.beidou, number - 158)
        case 173...182: (.imes, number)
        case 193...202: (.qzss, number - 192)
        case 211...246: (.galileo, number - 210)
        case 255: (.glonass, nil)
        default: (.unknown, number)
        }
    }

    /// Returns the number within a known constellation; nil if the number belongs to another one.
    private static func numberWithin(_ system: Constellation, from number: Int) -> Int? {
        switch (system, number) {
        case (.gps, 1...32), (.galileo, 1...36), (.beidou, 1...63), (.qzss, 1...10), (.navic, 1...18),
            (.glonass, 1...32):
            number
        case (.glonass, 65...99): number - 64
        case (.galileo, 301...336): number - 300
        case (.galileo, 101...136): number - 100
        case (.beidou, 401...463): number - 400
        case (.beidou, 201...264): number - 200
        case (.qzss, 193...202): number - 192
        case (.navic, 901...918): number - 900
        default: nil
        }
    }

    /// Returns the constellation and number by the ranges of NMEA 2.3 to 4.0 and their common
    /// extensions.
    private static func byRange(_ number: Int) -> (system: Constellation, number: Int?) {
        switch number {
        case 1...32: (.gps, number)
        case 33...64: (.sbas, number + 87)
        case 65...99: (.glonass, number - 64)
        case 120...158: (.sbas, number)
        case 173...182: (.imes, number)
        case 193...200: (.qzss, number - 192)
        case 201...264: (.beidou, number - 200)
        case 301...336: (.galileo, number - 300)
        case 401...463: (.beidou, number - 400)
        case 901...918: (.navic, number - 900)
        default: (.unknown, number)
        }
    }
}

extension Constellation {
    /// Creates a constellation from the system id of NMEA 4.1, 1 ... 6.
    init?(systemID: Int) {
        switch systemID {
        case 1: self = .gps
        case 2: self = .glonass
        case 3: self = .galileo
        case 4: self = .beidou
        case 5: self = .qzss
        case 6: self = .navic
        default: return nil
        }
    }

    /// Creates a constellation from a talker. Returns nil for `GN` and talkers without a
    /// constellation.
    init?(talker: UInt16) {
        switch talker {
        case Talker.gps: self = .gps
        case Talker.glonass: self = .glonass
        case Talker.galileo: self = .galileo
        case Talker.beidou, Talker.legacyBeidou: self = .beidou
        case Talker.qzss, Talker.legacyQZSS: self = .qzss
        case Talker.navic: self = .navic
        default: return nil
        }
    }
}
