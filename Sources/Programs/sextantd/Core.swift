import Chronology
import Locator
import Wire

/// The core, shared by the services. All run on the thread of the event loop.
final class Core {
    /// The core itself.
    var locator = Locator()

    /// - Parameter plansPower: Whether the core plans the power of receivers.
    init(plansPower: Bool) {
        locator.emitsPlans = plansPower
        locator.emitsReadPolicies = true
        locator.publishesEarly = true
    }

    /// Sets the reference date to the host's date, or to the release date if the host's clock was
    /// never set.
    func updateReferenceTime(at now: Instant) {
        let host = HostTime.now
        guard let released = UTCTime(rfc3339: SextantVersion.releaseDate) else { return }
        locator.setReference(max(host, released), guessesDay: host >= released, isFloor: host < released, at: now)
    }

    /// Applies the changes of monitored conditions.
    func apply(_ changes: ConditionChanges, at now: Instant) {
        if changes.resetsAll { locator.removeConditions(locator.conditionIdentifiers, at: now) }
        if !changes.removed.isEmpty { locator.removeConditions(changes.removed, at: now) }
        locator.addConditions(changes.added, at: now)
    }
}
