/// A protocol that a GNSS receiver may use instead of NMEA 0183, or beside it.
///
/// The raw value is the name in messages.
package enum BinaryProtocol: String, Sendable, CaseIterable {
    case ubx = "UBX"
    case sirf = "SiRF binary"
    case skytraq = "SkyTraq binary"
    case mediatek = "MediaTek binary"
    case casic = "CASIC binary"
    case allystar = "Allystar binary"
    case unicore = "Unicore binary"
    case sbf = "SBF"
    case novatel = "NovAtel binary"
    case rtcm = "RTCM 3"
    case everMore = "EverMore binary"
    case garmin = "Garmin binary"
    case tsip = "TSIP"

    /// What to do about a receiver that cannot be switched to NMEA, or must not be.
    package var remedy: String {
        switch self {
        case .ubx: "enable NMEA on this port with u-center or ubxtool -e NMEA"
        case .sirf:
            "remove all power from it, its backup battery included, or use gpsctl -s 38400 and then gpsctl -n"
        case .rtcm: "enable GGA and RMC in it with its maker's tool, or use it as a source of corrections only"
        case .tsip, .garmin: "set NMEA with its maker's tool, or use another receiver, because some models have no NMEA"
        case .skytraq, .mediatek, .casic, .allystar, .everMore, .unicore, .sbf, .novatel:
            "enable GGA, RMC, GSA and GSV with its maker's tool"
        }
    }
}

/// A whole frame of a binary protocol with a right check value.
package struct BinaryFrame: Sendable, Equatable {
    package var family: BinaryProtocol
    /// The bytes from the first to the last one of the frame.
    package var bytes: [UInt8]

    /// The UBX message; nil for another protocol.
    var ubx: UBXFrame? {
        guard family == .ubx, bytes.count >= 8 else { return nil }
        return UBXFrame(bytes[2], bytes[3], Array(bytes[6..<(bytes.count - 2)]))
    }

    /// Whether the message has a position or belongs to one. Receivers that are base stations or
    /// loggers send raw measurements or corrections without one.
    var belongsToPosition: Bool {
        switch family {
        // NAV but NAV-SVIN, the survey of a base station; F1D9 01 and BACE 01 are the NAV classes.
        case .ubx: bytes[2] == 0x01 && bytes[3] != 0x3B
        case .allystar: bytes[2] == 0x01
        case .casic: bytes[4] == 0x01
        // Measured navigation data, geodetic navigation data.
        case .sirf: bytes[4] == 2 || bytes[4] == 41
        // Navigation data of both generations.
        case .skytraq: bytes[4] == 0xA8 || bytes[4] == 0xDF
        default: false
        }
    }
}
