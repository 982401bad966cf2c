import NMEA

/// What the sentences of one epoch say together, where they differ.
extension Epoch {
    /// HDOP as GGA, GNS, GSA, PUBX or a maker's own solution state it, where it is one.
    var statedHDOP: Double? {
        Dilution.believable(gga?.hdop) ?? Dilution.believable(gns?.hdop) ?? hdop ?? Dilution.believable(pubx?.hdop)
            ?? Dilution.believable(solution?.hdop)
    }

    /// Whether it says that there is no HDOP, or none to be believed: a marker such as 99.99, and no value beside it.
    var deniesHDOP: Bool { statedHDOP == nil && (Dilution.isMarker(gga?.hdop) || Dilution.isMarker(gns?.hdop)) }

    /// How the position was made; ``FixQuality/none`` where any sentence says that there is none, nil where none says anything.
    ///
    /// The status of RMC and GLL says only whether, GGA's number and the mode letters say how. Around a loss of fix they contradict each
    /// other for an epoch; the worst is believed (IEC 61162-1 lets the mode dominate the status).
    var quality: FixQuality? {
        let stated = gga?.quality.map(FixQuality.init(gga:)) ?? gns?.mode.map(FixQuality.init)
        let letter = (rmc?.mode ?? gll?.mode ?? vtg?.mode).map(FixQuality.init)
        if rmc?.isValid == false || gll?.isValid == false && rmc?.isValid != true { return weakest(stated, letter) }
        if pubx?.status == PUBX00.Status.none || fixMode == 1 && stated == nil { return FixQuality.none }
        if let stated { return stated == .none || letter != FixQuality.none ? stated : .none }
        if let letter { return letter }
        if let status = pubx?.status { return FixQuality(status) }
        return rmc?.isValid == true || gll?.isValid == true || hasOldGLL ? .autonomous : solution?.quality
    }

    /// A receiver that warns (`V`) has no fix to believe, unless it is dead reckoning, which it also flags so.
    private func weakest(_ stated: FixQuality?, _ letter: FixQuality?) -> FixQuality {
        stated == .estimated || letter == .estimated ? .estimated : .none
    }

    /// GLL before NMEA 2.0 has no status: that it holds a position is all it says.
    private var hasOldGLL: Bool { gll?.position != nil && gll?.isValid == nil && gll?.time == nil }
}

extension FixQuality {
    /// By GGA field 6. 9 is NovAtel's for SBAS.
    init(gga: UInt8) {
        switch gga {
        case 1: self = .autonomous
        case 2, 9: self = .differential
        case 3: self = .precise
        case 4: self = .rtkFixed
        case 5: self = .rtkFloat
        case 6: self = .estimated
        case 7: self = .manual
        case 8: self = .simulated
        default: self = .none
        }
    }

    /// By a mode letter.
    init(_ mode: FAAMode) {
        switch mode {
        case .autonomous: self = .autonomous
        case .differential: self = .differential
        case .estimated: self = .estimated
        case .rtkFloat: self = .rtkFloat
        case .rtkFixed: self = .rtkFixed
        case .precise: self = .precise
        case .manual: self = .manual
        case .simulated: self = .simulated
        case .none: self = .none
        }
    }

    init(_ status: PUBX00.Status) {
        switch status {
        case .none, .timeOnly: self = .none
        case .deadReckoning: self = .estimated
        case .combined, .standalone2D, .standalone3D: self = .autonomous
        case .differential2D, .differential3D: self = .differential
        }
    }

    /// Whether a position of this kind is one. What was typed in or made up is not.
    var isPosition: Bool {
        switch self {
        case .none, .manual, .simulated: false
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat, .estimated: true
        }
    }
}
