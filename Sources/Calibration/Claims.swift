import Positioning

/// What is claimed for one fix, here and by gpsd's formula.
enum Claims {
    /// R95 over R68 of normal errors in a circle, as `docs/accuracy.md` documents it.
    static let r68ToR95 = 1.62
    /// R68 over R95: what is left of gpsd's nominal 95 % at 68 %.
    static let r95ToR68 = 0.619
    /// Metres for each unit of HDOP, meant as 95 % (gpsd 3.27, `gpsd_error_model()`): 19 m, or 4.75 m where the status is DGPS. RTK has
    /// none of its own there.
    static func gpsd95(_ fix: Fix) -> Double? {
        fix.hdop.map { $0 * (fix.quality == .differential ? 4.75 : 19) }
    }
}

/// A set of epochs seen by every claim at once.
public struct Comparison: Sendable {
    /// `horizontalAccuracy`, with R95 as the wider.
    public private(set) var sextant = Coverage()
    /// gpsd's constant scaled to 68 %, with its nominal 95 % as the wider; epochs without HDOP are missing.
    public private(set) var gpsd = Coverage()
    /// HDOP times the constant of an autonomous fix, and no more: what the evidence is measured by.
    public private(set) var plain = Coverage()
    /// `speedAccuracy`, where a true speed is known.
    public private(set) var speed = Coverage()
    /// By `accuracySource`.
    public private(set) var bySource: [AccuracySource: Coverage] = [:]
    /// The same with an unseen error that all epochs have in common: a model, not a measurement.
    public private(set) var withBias = Coverage()

    /// Nothing seen yet.
    public init() {}

    /// Metres of what a static log cannot show: the middle of 1.5 to 3 m (`docs/accuracy.md`).
    static let unseenBias = 2.25

    /// Counts a fix whose true place lay so many metres east and north of it.
    mutating func count(_ fix: Fix, east: Double, north: Double, trueSpeed: Double? = nil) {
        guard let claim = fix.horizontalAccuracy else { return }
        let error = (east * east + north * north).squareRoot()
        sextant.count(error: error, claim: claim, wide: claim * Claims.r68ToR95)
        if let source = fix.accuracySource {
            bySource[source, default: Coverage()].count(error: error, claim: claim, wide: claim * Claims.r68ToR95)
        }
        if let nominal = Claims.gpsd95(fix) { gpsd.count(error: error, claim: nominal * Claims.r95ToR68, wide: nominal) }
        if let hdop = fix.hdop {
            let plainly = fix.quality == .differential ? max(3 * hdop, 2) : max(4 * hdop, 3)
            plain.count(error: error, claim: plainly, wide: plainly * Claims.r68ToR95)
        }
        for (x, y) in [(1.0, 0.0), (-1, 0), (0, 1), (0, -1)] {
            let (e, n) = (east + x * Comparison.unseenBias, north + y * Comparison.unseenBias)
            withBias.count(error: (e * e + n * n).squareRoot(), claim: claim, wide: claim * Claims.r68ToR95)
        }
        if let stated = fix.speed, let accuracy = fix.speedAccuracy, let trueSpeed {
            speed.count(error: abs(stated - trueSpeed), claim: accuracy, wide: accuracy * 1.96)
        }
    }

    /// Another set's epochs too.
    mutating func count(_ other: Comparison) {
        sextant.count(other.sextant)
        gpsd.count(other.gpsd)
        plain.count(other.plain)
        speed.count(other.speed)
        withBias.count(other.withBias)
        for (source, coverage) in other.bySource { bySource[source, default: Coverage()].count(coverage) }
    }
}
