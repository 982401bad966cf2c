import Delivery
import Locator
import Positioning

extension FixMode {
    /// For people.
    var words: String {
        switch self {
        case .none: "no fix"
        case .twoD: "2D"
        case .threeD: "3D"
        }
    }
}

extension FixQuality {
    /// How the position was made, in a few words.
    var words: String {
        switch self {
        case .none: "no position"
        case .autonomous: "satellites alone"
        case .differential: "corrected (SBAS, DGPS)"
        case .precise: "precise (PPS or PPP)"
        case .rtkFixed: "RTK, integers fixed"
        case .rtkFloat: "RTK, integers afloat"
        case .estimated: "dead reckoning"
        case .manual: "entered by hand"
        case .simulated: "simulated by the receiver"
        }
    }
}

extension AccuracySource {
    /// What the accuracy was made from, in a few words.
    var words: String {
        switch self {
        case .pubx: "the receiver's own estimate (PUBX,00)"
        case .pstmkfcov: "the receiver's own filter (PSTMKFCOV)"
        case .pqtmepe: "the receiver's own estimate (PQTMEPE)"
        case .pqtmgps: "the receiver's own estimate (PQTMGPS)"
        case .gst: "the receiver's own errors (GST)"
        case .psrfepe: "the receiver's own estimate (PSRFEPE)"
        case .pgrme: "the receiver's own estimate (PGRME)"
        case .gbs: "the receiver's expected errors (GBS)"
        case .hdop: "from HDOP and the kind of fix"
        case .deadReckoning: "grown since the last fix"
        case .assumed: "assumed from the kind of fix"
        }
    }
}

extension UnavailableCause {
    /// A headline.
    var headline: String {
        switch self {
        case .noReceiver: "No receiver"
        case .receiverLost: "The receiver is gone"
        case .permissionDenied: "The port may not be opened"
        case .portBusy: "Another program has the port"
        case .receiverSilent: "The receiver is silent"
        case .notUnderstood: "The receiver is not understood"
        case .noFix: "No fix"
        case .antennaFault: "Something is wrong with the antenna"
        case .starting: "Starting"
        }
    }
}

extension ReceiverHealth {
    /// Good, on its way, or bad.
    var style: Style {
        switch self {
        case .fixing: .good
        case .resting: .dim
        case .talking, .hunting: .warning
        case .absent, .denied, .busy, .silent: .bad
        }
    }
}

extension Constellation {
    /// As people call it.
    var title: String {
        switch self {
        case .gps: "GPS"
        case .glonass: "GLONASS"
        case .galileo: "Galileo"
        case .beidou: "BeiDou"
        case .qzss: "QZSS"
        case .navic: "NavIC"
        case .sbas: "SBAS"
        case .imes: "IMES"
        case .unknown: "other"
        }
    }

    /// The letter of RINEX 3.05, table 1; "?" where it has none.
    var letter: String {
        switch self {
        case .gps: "G"
        case .glonass: "R"
        case .galileo: "E"
        case .beidou: "C"
        case .qzss: "J"
        case .navic: "I"
        case .sbas: "S"
        case .imes, .unknown: "?"
        }
    }
}
