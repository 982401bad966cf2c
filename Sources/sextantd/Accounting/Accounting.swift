import Chronology
import Locator
import Receivers

/// The daemon's accounts, and what they are made up from between two turns.
struct Accounting {
    /// What has been spent is written this often at most: each time wears a flash memory.
    static let saving = Instant.Span.seconds(3600)
    /// What was read for a report serves others that come soon after: anybody may ask, as often as they like.
    static let remembering = Instant.Span.seconds(60)

    var accounts: PowerAccounts
    /// Something has changed that the accounts depend on.
    var isChanged = false
    /// The core's count when the accounts were last made up.
    var needsRevision: UInt64 = 0
    var lastSaved: Instant
    /// That it cannot be saved has been said.
    var hasComplained = false
    /// What the disk holds, for a while after somebody has asked.
    var kept: (ledger: PowerLedger, at: Instant)?
    /// Programs whose conditions are watched, since when in this run.
    var watching: [MonitorOwner: (at: Instant, date: UTCTime)] = [:]
    /// Receivers that have been heard since their port was opened, and whether they have a fix.
    private var heard: [(id: ReceiverID, hasFix: Bool)] = []

    init(at now: Instant) { (accounts, lastSaved) = (PowerAccounts(at: now), now) }

    /// An epoch of a receiver is over.
    mutating func epoch(of id: ReceiverID, hasFix: Bool) {
        guard let at = heard.firstIndex(where: { $0.id == id }) else {
            heard.append((id, hasFix))
            isChanged = true
            return
        }
        guard heard[at].hasFix != hasFix else { return }
        heard[at].hasFix = hasFix
        isChanged = true
    }

    /// What a receiver does, as far as its current tells; nil for one of which nothing is known.
    mutating func state(of port: Port) -> PowerState? {
        if port.driving.isClosed { return .closed }
        guard port.isOpen, let at = heard.firstIndex(where: { $0.id == port.id }) else {
            heard.removeAll { $0.id == port.id }
            return nil
        }
        let report = port.driving.report
        if report?.activity == .resting {
            // What it wakes to is a search.
            heard[at].hasFix = false
            return report?.state ?? .standby
        }
        guard heard[at].hasFix else { return .acquiring }
        return report?.state ?? .tracking
    }
}
