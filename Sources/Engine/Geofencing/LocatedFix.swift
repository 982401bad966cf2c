import Chronology
import Geodesy
import Positioning

/// A fix with its evidence and its position in space.
struct LocatedFix: Sendable {
    /// The fix as events contain it.
    let fix: Fix
    let evidence: FenceEvidence
    /// The position of the device in Earth-centred, Earth-fixed coordinates, in metres.
    let point: SIMD4<Double>
    /// The distance from a boundary in metres beyond which the fix cannot change a known state.
    let influenceDistance: Double

    init(_ fix: Fix, evidence: FenceEvidence) {
        self.fix = fix
        self.evidence = evidence
        point = ECEFBox.ecefPosition(of: evidence.coordinate)
        influenceDistance = ConditionTracker.influenceDistance(radius: evidence.radius)
    }

    /// Returns whether the fix is recent enough to evaluate new conditions.
    func isRecent(at now: Instant) -> Bool { evidence.isAtRest || now - evidence.at <= .seconds(10) }
}
