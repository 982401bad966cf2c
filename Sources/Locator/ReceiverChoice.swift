import Chronology

/// Which receiver speaks for the device when there are several.
///
/// Slow to change for the better, quick when the present one is lost. Another takes over when its smoothed R68 has been below
/// ``margin`` of the present one's for ``proof``, at most once in ``dwell``. One without a fix for two of its periods, or without its
/// port, hands over to the best of the others at once, and must win like any other when it comes back. Only R68 counts: it already holds
/// what the kind of fix and dead reckoning are worth. Nor does it matter where the others are: of two that disagree, nobody knows who is
/// wrong.
struct ReceiverChoice: Sendable {
    /// A challenger's R68 has to be below this part of the present one's: less would be the chance of the sky above either antenna.
    static let margin = 0.7
    /// How long it has to be.
    static let proof = Instant.Span.seconds(10)
    /// After a change there is none for the better for this long.
    static let dwell = Instant.Span.seconds(30)

    /// One whose R68 has been this many times the chosen one's for so long need not run beside it.
    static let spareFactor = 2.0
    static let spareProof = Instant.Span.seconds(180)

    private(set) var chosen: ReceiverID?
    /// When the chosen one counts as lost, while there are others that could take over; gone once ``tick(at:)`` has seen it.
    private(set) var deadline: Instant?
    private var changedAt: Instant?
    /// Those that have had a fix since their port was opened.
    private var standings: [ReceiverStanding] = []

    /// A fix with a position has come.
    ///
    /// - Returns: the receiver whose newest fix is now the device's news: this one, or one that takes over from a lost one and is better
    ///   than this; nil when there is no news for the device.
    mutating func offer(_ accuracy: Double?, from id: ReceiverID, period: Int?, at now: Instant) -> ReceiverID? {
        let at = note(accuracy, from: id, period: period, at: now)
        defer { settle() }
        guard let present = standings.firstIndex(where: { $0.id == chosen }), standings[present].holds(at: now) else {
            return succeed(at: now)
        }
        if present == at {
            if standings.count > 1 { endLeads(over: standings[at].accuracy) }
            return id
        }
        standings[at].lag(standings[at].accuracy >= standings[present].accuracy * ReceiverChoice.spareFactor, at: now)
        guard hasWon(at, against: standings[present].accuracy, at: now) else { return nil }
        change(to: id, at: now)
        return id
    }

    /// Its port is closed, or it is not looked for any more.
    ///
    /// - Returns: who takes over from it.
    mutating func remove(_ id: ReceiverID, at now: Instant) -> ReceiverID? {
        standings.removeAll { $0.id == id }
        defer { settle() }
        guard chosen == id else { return nil }
        let heir = succeed(at: now)
        if heir == nil { chosen = nil }
        for at in standings.indices { standings[at].lag(nil, at: now) }
        return heir
    }

    /// Lets time pass.
    ///
    /// - Returns: who takes over from one that is lost.
    mutating func tick(at now: Instant) -> ReceiverID? {
        guard let due = deadline, due <= now else { return nil }
        deadline = nil
        // Those that were let rest beside it are needed now.
        for at in standings.indices { standings[at].lag(nil, at: now) }
        guard let heir = succeed(at: now) else { return nil }
        settle()
        return heir
    }

    /// Those that need not run beside the chosen one: an occasional look shows whether that is still so.
    var spares: [ReceiverID] { standings.count > 1 ? standings.filter { $0.isSpare && $0.id != chosen }.map(\.id) : [] }

    /// Metres of R68 by which it is compared; nil while it has no fix.
    func accuracy(of id: ReceiverID, at now: Instant) -> Double? {
        standings.first { $0.id == id && $0.holds(at: now) }?.accuracy
    }
}

extension ReceiverChoice {
    /// Keeps a fix in its receiver's standing; returns where that is.
    private mutating func note(_ accuracy: Double?, from id: ReceiverID, period: Int?, at now: Instant) -> Int {
        if let at = standings.firstIndex(where: { $0.id == id }) {
            standings[at].take(accuracy: accuracy, period: period, at: now)
            return at
        }
        standings.append(ReceiverStanding(id, accuracy: accuracy, period: period, at: now))
        return standings.count - 1
    }

    /// The best of those that hold takes over from one that does not.
    private mutating func succeed(at now: Instant) -> ReceiverID? {
        let best = standings.lazy.filter { $0.holds(at: now) }.min { $0.accuracy < $1.accuracy }
        guard let best, best.id != chosen else { return nil }
        change(to: best.id, at: now)
        return best.id
    }

    private mutating func change(to id: ReceiverID, at now: Instant) {
        // Whoever is chosen for want of another came first, and need not be kept for longer than the proof takes.
        if chosen != nil { changedAt = now }
        chosen = id
        for at in standings.indices {
            standings[at].leadsSince = nil
            standings[at].lag(nil, at: now)
        }
    }

    /// Whether a challenger has been clearly better for long enough.
    private mutating func hasWon(_ at: Int, against present: Double, at now: Instant) -> Bool {
        guard standings[at].accuracy < present * ReceiverChoice.margin else {
            standings[at].leadsSince = nil
            return false
        }
        let since = standings[at].leadsSince ?? now
        standings[at].leadsSince = since
        guard now - since >= ReceiverChoice.proof, changedAt.map({ now - $0 >= ReceiverChoice.dwell }) ?? true else { return false }
        let accuracy = standings[at].accuracy
        return standings.allSatisfy { $0.accuracy >= accuracy || !$0.holds(at: now) }
    }

    private mutating func endLeads(over present: Double) {
        for at in standings.indices where standings[at].accuracy >= present * ReceiverChoice.margin { standings[at].leadsSince = nil }
    }

    private mutating func settle() {
        deadline = standings.count > 1 ? standings.first { $0.id == chosen }?.heldUntil : nil
    }
}
