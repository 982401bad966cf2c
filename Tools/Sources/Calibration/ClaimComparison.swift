import Positioning

/// The accuracy that this project and gpsd's formula claim for one fix.
enum AccuracyClaims {
    /// The ratio of R95 to R68 for circular normal errors (`docs/accuracy.md`).
    static let r68ToR95 = 1.62
    /// The ratio of R68 to R95, which scales gpsd's nominal 95 % to 68 %.
    static let r95ToR68 = 0.619
    /// Returns gpsd's 95 % error in metres (gpsd 3.27, `gpsd_error_model()`): HDOP times 19 m, or
    /// times 4.75 m if the status is DGPS. gpsd has no separate constant for RTK.
    static func gpsd95(_ fix: Fix) -> Double? {
        fix.hdop.map { $0 * (fix.quality == .differential ? 4.75 : 19) }
    }
}

/// The coverage of each accuracy claim over the same set of epochs.
package struct ClaimComparison: Sendable {
    /// The coverage of `horizontalAccuracy`; the wider radius is R95.
    package private(set) var sextant = ClaimCoverage()
    /// The coverage of gpsd's claim scaled to 68 %; the wider radius is its nominal 95 %. Epochs
    /// without HDOP are not counted.
    package private(set) var gpsd = ClaimCoverage()
    /// The coverage of HDOP times a constant for the fix quality, with a lower limit: the baseline
    /// for the other claims.
    package private(set) var plain = ClaimCoverage()
    /// The coverage of `speedAccuracy` where the true speed is known.
    package private(set) var speed = ClaimCoverage()
    /// The coverage of `horizontalAccuracy` by `accuracySource`.
    package private(set) var bySource: [AccuracySource: ClaimCoverage] = [:]
    /// The coverage of `horizontalAccuracy` with an added hidden error common to all epochs. This
    /// is a model, not a measurement.
    package private(set) var withBias = ClaimCoverage()

    /// Creates an empty comparison.
    package init() {}

    /// The error that a static log cannot show, in metres: the middle of 1.5 to 3 m
    /// (`docs/accuracy.md`).
    static let unseenBias = 2.25

    /// Counts a fix whose error has these components, in metres.
    mutating func count(_ fix: Fix, east: Double, north: Double, trueSpeed: Double? = nil) {
        guard let claim = fix.horizontalAccuracy else { return }
        let error = (east * east + north * north).squareRoot()
        sextant.add(error, claim: claim, wide: claim * AccuracyClaims.r68ToR95)
        if let source = fix.accuracySource {
            bySource[source, default: ClaimCoverage()].add(error, claim: claim, wide: claim * AccuracyClaims.r68ToR95)
        }
        if let nominal = AccuracyClaims.gpsd95(fix) {
            gpsd.add(error, claim: nominal * AccuracyClaims.r95ToR68, wide: nominal)
        }
        if let hdop = fix.hdop {
            let plainly = fix.quality == .differential ? max(3 * hdop, 2) : max(4 * hdop, 3)
            plain.add(error, claim: plainly, wide: plainly * AccuracyClaims.r68ToR95)
        }
        for (x, y) in [(1.0, 0.0), (-1, 0), (0, 1), (0, -1)] {
            let (e, n) = (east + x * ClaimComparison.unseenBias, north + y * ClaimComparison.unseenBias)
            withBias.add((e * e + n * n).squareRoot(), claim: claim, wide: claim * AccuracyClaims.r68ToR95)
        }
        if let stated = fix.speed, let accuracy = fix.speedAccuracy, let trueSpeed {
            speed.add(abs(stated - trueSpeed), claim: accuracy, wide: accuracy * 1.96)
        }
    }

    /// Adds the epochs of another comparison.
    mutating func count(_ other: ClaimComparison) {
        sextant.add(other.sextant)
        gpsd.add(other.gpsd)
        plain.add(other.plain)
        speed.add(other.speed)
        withBias.add(other.withBias)
        for (source, coverage) in other.bySource { bySource[source, default: ClaimCoverage()].add(coverage) }
    }
}
