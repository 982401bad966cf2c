/// Estimates the accuracy of a fix from its own epoch: HDOP times a constant for the kind of fix,
/// or a constant without HDOP. Also gives the lower limits of the receiver's estimates.
/// ``AccuracyEstimator`` keeps the state between epochs.
struct AccuracyModel {
    /// The fix; the model reads its quality, dimensions, satellites and HDOP.
    var fix: Fix
    /// Seconds since the last differential correction; nil if not reported.
    var correctionAge: Double?
    /// The signal strengths and bands of the satellites.
    var signals: SkySignals
    /// The factor for a recent first fix; 1 or more.
    var firstFixFactor: Double

    private typealias Constants = AccuracyConstants

    /// R68 in metres, by table.
    var radius: Double {
        guard let hdop = fix.hdop else { return radiusWithoutHDOP * degradationFactor }
        var scale = kind.perHDOP
        var floor = kind.floor
        if fix.mode == .twoD {
            scale = max(scale * Constants.twoDimensionFactor, Constants.twoDimensionPerHDOP)
            floor = max(floor, Constants.twoDimensionFloor)
        }
        var radius = scale * hdop
        // With few satellites and a bad geometry, code ranges are worse than their DOP indicates.
        // Fixed and float carrier phase do not depend on code ranges alone.
        if hdop > Constants.badHDOP && !fix.quality.isCarrierPhase {
            radius += (hdop - Constants.badHDOP) * Constants.perBadHDOP
            floor = max(floor, Constants.badHDOPFloor)
        }
        if hasFewSatellites {
            radius *= Constants.fewSatellitesFactor
            floor = max(floor, Constants.fewSatellitesFloor)
        }
        return max(radius, floor) * degradationFactor
    }

    private var radiusWithoutHDOP: Double {
        // Without a height the two dimensions are our assumption, and the constant already covers
        // receivers that report no more.
        let reports2D =
            fix.mode == .twoD && (fix.altitude ?? fix.ellipsoidalAltitude) != nil && !fix.quality.isCarrierPhase
        let radius = kind.withoutHDOP * (reports2D ? Constants.twoDimensionFactor : 1)
        return hasFewSatellites ? radius * Constants.fewSatellitesFactor : radius
    }

    private var hasFewSatellites: Bool {
        guard let used = fix.satellitesUsed, !fix.quality.isCarrierPhase else { return false }
        return used > 0 && used <= Constants.fewSatellites
    }

    /// Returns the height accuracy by VDOP: metres, one standard deviation. The range error is the
    /// horizontal constant divided by R68 / DRMS.
    func vertical(_ vdop: Double) -> Double {
        max(kind.perHDOP / Constants.rootMeanSquareToR68 * vdop, kind.floor) * degradationFactor
    }

    /// The lower limit of a reported R68, in metres.
    var minReportedRadius: Double { fix.quality.isCarrierPhase ? kind.floor : Constants.receiverFloor }

    /// The lower limit of a reported height error, in metres.
    var minReportedHeightError: Double {
        fix.quality.isCarrierPhase ? Constants.carrierPhaseVerticalFloor : Constants.receiverFloor
    }

    /// Returns the 68 % accuracy of a speed over ground in metres per second. Doppler measures the
    /// speed for every kind of fix except dead reckoning, whose speed drifts like its position.
    func speed(_ speed: Double) -> Double {
        if fix.quality == .estimated { return Constants.driftPerMetre * speed + Constants.driftPerSecond }
        let byGeometry = Constants.speedPerHDOP * (fix.hdop ?? Constants.unknownHDOP) * signals.factor
        return max(byGeometry, Constants.speedFloor)
    }

    private var kind: AccuracyConstants.Kind {
        switch fix.quality {
        case .differential where correctionAge ?? 0 > Constants.maxCorrectionAge: Constants.kind(.autonomous)
        case .autonomous where signals.twoFrequencies >= Constants.twoFrequencySatellites: Constants.twoFrequencies
        default: Constants.kind(fix.quality)
        }
    }

    /// The factor for weak signals and a recent first fix. It applies to every fix from satellites.
    private var degradationFactor: Double { fix.quality == .estimated ? 1 : signals.factor * firstFixFactor }
}

extension SkySignals {
    /// The factor by which weak signals make ranges worse; 1 if their strength is unknown.
    fileprivate var factor: Double {
        guard let median = medianCarrierToNoise else { return 1 }
        if median < AccuracyConstants.veryWeakSignal { return AccuracyConstants.veryWeakSignalFactor }
        return median < AccuracyConstants.weakSignal ? AccuracyConstants.weakSignalFactor : 1
    }
}

extension FixQuality {
    /// Whether the fix is RTK, fixed or float.
    var isCarrierPhase: Bool { self == .rtkFixed || self == .rtkFloat }
}
