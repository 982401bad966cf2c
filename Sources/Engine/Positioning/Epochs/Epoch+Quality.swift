import NMEA

/// Values that combine several sentences of one epoch, which may contradict each other.
extension Epoch {
    /// The HDOP as reported by GGA, GNS, GSA, PUBX or a proprietary solution; nil if none is valid.
    var reportedHDOP: Double? {
        Dilution.plausible(gga?.hdop) ?? Dilution.plausible(gns?.hdop) ?? hdop ?? Dilution.plausible(pubx?.hdop)
            ?? Dilution.plausible(solution?.hdop)
    }

    /// Whether the epoch reports that it has no valid HDOP: a marker such as 99.99, and no value in
    /// another sentence.
    var reportsNoHDOP: Bool { reportedHDOP == nil && (Dilution.isMarker(gga?.hdop) || Dilution.isMarker(gns?.hdop)) }

    /// The largest number of satellites that many receivers report in GGA, as NMEA 0183 required
    /// before 4.11.
    private static let maxSatellitesOfGGA: UInt8 = 12

    /// Returns the number of satellites used; nil if unknown. If GGA has its largest number, more
    /// may be used, and the greatest number of the epoch counts.
    ///
    /// - Parameters:
    ///   - listed: The number of satellites in this epoch's GSA; nil without one.
    ///   - before: The number of an earlier epoch; nil if it is out of date.
    func satellitesUsed(listed: @autoclosure () -> Int?, before: Int?) -> Int? {
        let others = max(gns?.satellitesUsed ?? 0, pubx?.satellitesUsed ?? 0, solution?.satellitesUsed ?? 0)
        if let used = gga?.satellitesUsed {
            guard used == Epoch.maxSatellitesOfGGA else { return Int(used) }
            return max(Int(used), Int(others), listed() ?? (gns == nil ? before : nil) ?? 0)
        }
        let used = gns?.satellitesUsed ?? pubx?.satellitesUsed ?? solution?.satellitesUsed
        return used.map(Int.init) ?? before ?? listed()
    }

    /// The quality of the position; ``FixQuality/none`` if any sentence reports no fix, nil if no
    /// sentence reports a quality.
    ///
    /// The status of RMC and GLL reports only whether there is a fix; the GGA number and the mode
    /// letters report its kind. When a fix is lost or regained they contradict each other for one
    /// epoch; the worst value counts (IEC 61162-1 gives the mode precedence over the status).
    var quality: FixQuality? {
        let reported = gga?.quality.map(FixQuality.init(gga:)) ?? gns?.mode.map(FixQuality.init)
        let letter = (rmc?.mode ?? gll?.mode ?? vtg?.mode).map(FixQuality.init)
        if rmc?.isValid == false || gll?.isValid == false && rmc?.isValid != true {
            return qualityUnderWarning(reported: reported, mode: letter)
        }
        if pubx?.status == PUBX00.Status.none || fixMode == 1 && reported == nil { return FixQuality.none }
        if let reported { return reported == .none || letter != FixQuality.none ? reported : .none }
        if let letter { return letter }
        if let status = pubx?.status { return FixQuality(status) }
        return rmc?.isValid == true || gll?.isValid == true || hasOldGLL ? .autonomous : solution?.quality
    }

    /// Returns the quality of an epoch with the warning status `V`: no fix, unless the receiver
    /// reports dead reckoning, which it also flags so.
    private func qualityUnderWarning(reported: FixQuality?, mode letter: FixQuality?) -> FixQuality {
        reported == .estimated || letter == .estimated ? .estimated : .none
    }

    /// Whether the epoch has a GLL of a version before NMEA 2.0. Such a GLL has no status; only the
    /// presence of a position indicates a fix.
    private var hasOldGLL: Bool { gll?.position != nil && gll?.isValid == nil && gll?.time == nil }
}

extension FixQuality {
    /// Creates a quality from GGA field 6. NovAtel uses 9 for SBAS.
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

    /// Whether a fix of this quality has a real position. A manual or simulated one does not count.
    var isPosition: Bool {
        switch self {
        case .none, .manual, .simulated, .unknown: false
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat, .estimated: true
        }
    }
}
