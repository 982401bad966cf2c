import Chronology

/// Records that a server refuses although it can be reached, such as one that is too long for it.
///
/// The refused record is set aside, so that others can be sent. After a pause it is sent again: in
/// its turn if another record had a result, else only if there is no other. It is given up when the
/// server has refused it several times, and has accepted another record since the first time: a
/// server that refuses everything has another problem, after which it must get all.
package struct RefusedRecords: Sendable {
    /// The number of refusals after which a record is given up.
    package static let limit = 5
    /// The time for which a refused record lets others overtake it.
    package static let pause = Instant.Span.seconds(60)
    /// The number of records whose refusals are counted.
    private static let maxCount = 64

    private struct Refusal: Sendable {
        var count = 0
        var hasAcceptedOther = false
    }

    private struct Aside: Sendable {
        var sequence: Int64
        var until: Instant
        /// Whether another record had a result since.
        var hasOtherResult = false
        /// Whether it is sent if there is no other.
        var isLast = false
    }

    /// How the record that was set aside is sent after its pause.
    package enum Release: Sendable, Equatable {
        /// In its turn.
        case inTurn
        /// If there is no other.
        case last(Int64)
    }

    private var refusals: [Int64: Refusal] = [:]
    private var aside: Aside?

    /// Creates the state of a server that has refused nothing.
    package init() {}

    /// When ``release(at:)`` must be called; nil: no record is set aside, or it waits for another
    /// one.
    package var deadline: Instant? { aside.flatMap { $0.hasOtherResult || !$0.isLast ? $0.until : nil } }

    /// Counts a refusal, which sets the record aside.
    ///
    /// - Returns: Whether the record is given up.
    package mutating func refuse(_ sequence: Int64, at now: Instant) -> Bool {
        // To forget refusals loses nothing: the counts begin again.
        if refusals[sequence] == nil, refusals.count >= RefusedRecords.maxCount { refusals = [:] }
        refusals[sequence, default: Refusal()].count += 1
        guard let refusal = refusals[sequence], refusal.count < RefusedRecords.limit || !refusal.hasAcceptedOther else {
            refusals[sequence] = nil
            aside = nil
            return true
        }
        aside = Aside(sequence: sequence, until: now + RefusedRecords.pause)
        return false
    }

    /// Records that the server has accepted a record.
    package mutating func accept(_ sequence: Int64) {
        refusals[sequence] = nil
        for other in Array(refusals.keys) { refusals[other]?.hasAcceptedOther = true }
        if aside?.sequence == sequence { aside = nil } else { aside?.hasOtherResult = true }
    }

    /// Returns how the record that was set aside is sent from now on; nil: as before.
    package mutating func release(at now: Instant) -> Release? {
        guard let deadline, now >= deadline, let record = aside else { return nil }
        guard !record.hasOtherResult else {
            aside = nil
            return .inTurn
        }
        aside?.isLast = true
        return .last(record.sequence)
    }
}
