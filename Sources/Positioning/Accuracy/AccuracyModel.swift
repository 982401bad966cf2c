/// What a fix is worth by what is known of it at its own moment: the receiver's estimate, else HDOP times a constant for the kind of fix,
/// else a constant. What lasts from epoch to epoch is ``AccuracyJudge``'s.
struct AccuracyModel {
    /// The fix: quality, dimensions, satellites and HDOP are read.
    var fix: Fix
    /// Seconds since the last differential correction; nil where not stated.
    var correctionAge: Double?
    /// How the satellites' signals come in.
    var signals: SkySignals
    /// By how much a first fix is worse; 1 or more.
    var freshness: Double

    private typealias Constants = AccuracyConstants

    /// Metres of R68 by table.
    var radius: Double {
        guard let hdop = fix.hdop else { return radiusWithoutHDOP * circumstances }
        var scale = kind.perHDOP
        var floor = kind.floor
        if fix.mode == .twoD {
            scale = max(scale * Constants.twoDimensionFactor, Constants.twoDimensionPerHDOP)
            floor = max(floor, Constants.twoDimensionFloor)
        }
        var radius = scale * hdop
        // Few satellites in a bad geometry make code ranges worse than their DOP says; fixed and floating carrier phase stand on more.
        if hdop > Constants.badHDOP && !fix.quality.isCarrierPhase {
            radius += (hdop - Constants.badHDOP) * Constants.perBadHDOP
            floor = max(floor, Constants.badHDOPFloor)
        }
        if hasFewSatellites {
            radius *= Constants.fewSatellitesFactor
            floor = max(floor, Constants.fewSatellitesFloor)
        }
        return max(radius, floor) * circumstances
    }

    private var radiusWithoutHDOP: Double {
        // Without a height two dimensions are a guess of ours, and the constant holds for receivers that tell no more.
        let saysFlat = fix.mode == .twoD && (fix.altitude ?? fix.ellipsoidalAltitude) != nil && !fix.quality.isCarrierPhase
        let radius = kind.withoutHDOP * (saysFlat ? Constants.twoDimensionFactor : 1)
        return hasFewSatellites ? radius * Constants.fewSatellitesFactor : radius
    }

    private var hasFewSatellites: Bool {
        guard let used = fix.satellitesUsed, !fix.quality.isCarrierPhase else { return false }
        return used > 0 && used <= Constants.fewSatellites
    }

    /// Metres, one standard deviation of the height, by VDOP: the range error behind the horizontal constant is that over R68 / DRMS.
    func vertical(_ vdop: Double) -> Double {
        max(kind.perHDOP / Constants.rootMeanSquareToR68 * vdop, kind.floor) * circumstances
    }

    /// Metres that a stated R68 is raised to.
    var floorOfStated: Double { fix.quality.isCarrierPhase ? kind.floor : Constants.receiverFloor }

    /// Metres that a stated error of the height is raised to.
    var floorOfStatedHeight: Double { fix.quality.isCarrierPhase ? Constants.carrierPhaseVerticalFloor : Constants.receiverFloor }

    /// Metres per second, 68 % of the speed over ground, which Doppler gives whatever the kind of fix; reckoned speeds drift as their
    /// positions do.
    func speed(_ speed: Double) -> Double {
        if fix.quality == .estimated { return Constants.driftPerMetre * speed + Constants.driftPerSecond }
        let byGeometry = Constants.speedPerHDOP * (fix.hdop ?? Constants.unknownHDOP) * signals.factor
        return max(byGeometry, Constants.speedFloor)
    }

    private var kind: AccuracyConstants.Kind {
        switch fix.quality {
        case .differential where correctionAge ?? 0 > Constants.longestCorrectionAge: Constants.kind(.autonomous)
        case .autonomous where signals.twoFrequencies >= Constants.twoFrequencySatellites: Constants.twoFrequencies
        default: Constants.kind(fix.quality)
        }
    }

    /// Weak signals and a fix only just found make any fix from satellites worse.
    private var circumstances: Double { fix.quality == .estimated ? 1 : signals.factor * freshness }
}

extension SkySignals {
    /// By how much weak signals make ranges worse; 1 where their strength is not known.
    fileprivate var factor: Double {
        guard let median = medianCarrierToNoise else { return 1 }
        if median < AccuracyConstants.veryWeakSignals.below { return AccuracyConstants.veryWeakSignals.factor }
        return median < AccuracyConstants.weakSignals.below ? AccuracyConstants.weakSignals.factor : 1
    }
}

extension FixQuality {
    /// RTK, fixed or float.
    var isCarrierPhase: Bool { self == .rtkFixed || self == .rtkFloat }
}
