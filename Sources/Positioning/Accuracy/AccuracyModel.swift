import NMEA

/// Gives a fix its accuracies: one meaning, the 68 % radius, whatever the receiver sent.
///
/// Sources and constants: `docs/accuracy.md`. In order: the receiver's own estimate (`PUBX,00`, GST, GBS), then HDOP times a constant for
/// the kind of fix, then a constant alone.
enum AccuracyModel {
    /// R68 over DRMS where only the axes' errors are known: between 1.00 and 1.07 for any ellipse of normal errors; the upper end, since
    /// the correlation of the axes is not known.
    static let rootMeanSquareToR68 = 1.07
    /// Metres. No receiver without carrier phase knows itself better than this: errors common to its satellites do not show in its
    /// residuals.
    static let receiverFloor = 1.0
    /// Metres; above it the number is a marker for "none" (u-blox says 5,303,316 without a fix).
    static let absurd = 1e5

    /// Sets horizontal and vertical accuracy and their source.
    static func judge(_ fix: inout Fix, _ epoch: Epoch, vdop: Double?) {
        if let (accuracy, source) = reported(epoch) {
            fix.horizontalAccuracy = max(accuracy, fix.quality.isCarrierPhase ? Constants.of(fix.quality).floor : receiverFloor)
            fix.accuracySource = source
        } else if let hdop = fix.hdop {
            fix.horizontalAccuracy = fromHDOP(hdop, fix)
            fix.accuracySource = .hdop
        } else {
            fix.horizontalAccuracy = Constants.of(fix.quality).withoutHDOP
            fix.accuracySource = .assumed
        }
        let hasAltitude = fix.altitude ?? fix.ellipsoidalAltitude != nil
        fix.verticalAccuracy = fix.mode == .threeD && hasAltitude ? vertical(fix, epoch, vdop) : nil
    }

    /// The receiver's own estimate as R68.
    private static func reported(_ epoch: Epoch) -> (Double, AccuracySource)? {
        if let stated = plausible(epoch.pubx?.horizontalAccuracy) { return (stated * rootMeanSquareToR68, .pubx) }
        if let stated = plausible(root(epoch.gst?.latitudeError, epoch.gst?.longitudeError)) { return (stated * rootMeanSquareToR68, .gst) }
        if let stated = plausible(root(epoch.gbs?.latitudeError, epoch.gbs?.longitudeError)) { return (stated * rootMeanSquareToR68, .gbs) }
        return nil
    }

    private static func fromHDOP(_ hdop: Double, _ fix: Fix) -> Double {
        let constants = Constants.of(fix.quality)
        var scale = constants.perHDOP
        var floor = constants.floor
        if fix.mode == .twoD {
            scale = max(scale * 2, 8)
            floor = max(floor, 10)
        }
        var accuracy = scale * hdop
        // Few satellites in a bad geometry make code ranges worse than their DOP says; fixed and floating carrier phase stand on more.
        if hdop > 5 && !fix.quality.isCarrierPhase {
            accuracy += (hdop - 5) * 5
            floor = max(floor, 25)
        }
        if let used = fix.satellitesUsed, used > 0, used <= 4, !fix.quality.isCarrierPhase {
            accuracy *= 1.5
            floor = max(floor, 6)
        }
        return max(accuracy, floor)
    }

    private static func vertical(_ fix: Fix, _ epoch: Epoch, _ vdop: Double?) -> Double? {
        let stated = epoch.pubx?.verticalAccuracy ?? epoch.gst?.altitudeError ?? epoch.gbs?.altitudeError
        if let stated = plausible(stated) { return max(stated, fix.quality.isCarrierPhase ? 0.05 : receiverFloor) }
        // The range error behind the horizontal constant is that constant over R68 / DRMS.
        guard let vdop else { return nil }
        let constants = Constants.of(fix.quality)
        return max(constants.perHDOP / rootMeanSquareToR68 * vdop, constants.floor)
    }

    private static func root(_ a: Double?, _ b: Double?) -> Double? {
        guard let a, let b else { return nil }
        return (a * a + b * b).squareRoot()
    }

    private static func plausible(_ stated: Double?) -> Double? {
        guard let stated, stated > 0, stated < absurd else { return nil }
        return stated
    }

    /// What a kind of fix is worth.
    struct Constants {
        /// Metres of R68 for each unit of HDOP.
        var perHDOP: Double
        /// Metres below which R68 is not claimed.
        var floor: Double
        /// Metres of R68 where nothing but the kind of fix is known.
        var withoutHDOP: Double

        /// The table: constants from static logs and a drive with ground truth, `docs/accuracy.md` section 3.
        static func of(_ quality: FixQuality) -> Constants {
            switch quality {
            case .autonomous, .none, .manual, .simulated: Constants(perHDOP: 4, floor: 3, withoutHDOP: 10)
            case .differential: Constants(perHDOP: 3, floor: 2, withoutHDOP: 5)
            case .precise: Constants(perHDOP: 2, floor: 1.5, withoutHDOP: 5)
            case .rtkFloat: Constants(perHDOP: 0.5, floor: 0.3, withoutHDOP: 1)
            case .rtkFixed: Constants(perHDOP: 0.03, floor: 0.1, withoutHDOP: 0.1)
            case .estimated: Constants(perHDOP: 10, floor: 10, withoutHDOP: 30)
            }
        }
    }
}

extension FixQuality {
    /// RTK, fixed or float.
    var isCarrierPhase: Bool { self == .rtkFixed || self == .rtkFloat }
}
