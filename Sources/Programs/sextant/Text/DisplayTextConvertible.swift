import Locator
import Positioning

/// A value with a text for the user.
protocol DisplayTextConvertible {
    var displayText: String { get }
}

extension FixMode: DisplayTextConvertible {
    /// The fix mode as text.
    var displayText: String {
        switch self {
        case .none: "no fix"
        case .twoD: "2D"
        case .threeD: "3D"
        case .unknown: rawValue
        }
    }
}

extension FixQuality: DisplayTextConvertible {
    /// The fix quality as text.
    var displayText: String {
        switch self {
        case .none: "no position"
        case .autonomous: "autonomous"
        case .differential: "differential (SBAS, DGPS)"
        case .precise: "precise (PPS or PPP)"
        case .rtkFixed: "RTK fixed"
        case .rtkFloat: "RTK float"
        case .estimated: "dead reckoning"
        case .manual: "manual input"
        case .simulated: "simulated"
        case .unknown: rawValue
        }
    }
}

extension AccuracySource: DisplayTextConvertible {
    /// The source of the accuracy as text.
    var displayText: String {
        switch self {
        case .pubx: "receiver's estimate (PUBX,00)"
        case .pstmkfcov: "receiver's filter covariance (PSTMKFCOV)"
        case .pqtmepe: "receiver's estimate (PQTMEPE)"
        case .pqtmgps: "receiver's estimate (PQTMGPS)"
        case .gst: "receiver's error statistics (GST)"
        case .gfa: "receiver's error ellipse (GFA)"
        case .pqxfi: "receiver's estimate (PQXFI)"
        case .pglor: "receiver's error ellipse (PGLOR)"
        case .psrfepe: "receiver's estimate (PSRFEPE)"
        case .pgrme: "receiver's estimate (PGRME)"
        case .gbs: "receiver's expected errors (GBS)"
        case .hdop: "from HDOP and fix type"
        case .deadReckoning: "increased since the last fix"
        case .assumed: "assumed from the fix type"
        case .configured: "fixed place of the configuration"
        case .reduced: "reduced to an area"
        case .unknown: rawValue
        }
    }
}

extension Cause: DisplayTextConvertible {
    /// The cause as a headline.
    var displayText: String {
        switch self {
        case .noReceiver: "No receiver"
        case .receiverLost: "Receiver disconnected"
        case .permissionDenied: "No permission to open the port"
        case .portBusy: "Port in use by another program"
        case .receiverSilent: "No data from the receiver"
        case .notUnderstood: "No valid GNSS data"
        case .binaryProtocol: "Binary protocol instead of NMEA"
        case .noFix: "No fix"
        case .antennaFault: "Antenna fault"
        case .starting: "Starting"
        case .unknown: "No position"
        }
    }
}
