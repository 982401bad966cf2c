import Chronology

/// Decides which records of use have expired, by a host's clock that may be wrong.
///
/// Nothing expires while the clock is not set, nor until it has run without a jump for a while. A
/// clock that is wrong after a start would otherwise delete what was recorded with a correct one.
package struct UseExpiry: Sendable {
    /// How long records are kept.
    package static let lifetime = Instant.Span.seconds(30 * 86_400)
    /// How long the clock must run without a jump before anything is deleted. NTP corrects a clock
    /// within minutes after a start.
    static let settlingTime = Instant.Span.seconds(600)
    /// The smallest correction that counts as a jump.
    static let minJump = Instant.Span.seconds(60)

    /// The date of instant zero by the clock at the last call.
    private var origin: UTCTime?
    /// Since when the clock has not jumped.
    private var steadySince: Instant?

    /// Creates an expiry that knows no clock yet.
    package init() {}

    /// Returns the time before which ended records are not shown; nil if the clock is not set.
    package static func cutoff(date: UTCTime?) -> UTCTime? { date?.advanced(by: .zero - lifetime) }

    /// Returns the time before which ended records are to be deleted; nil if none are.
    ///
    /// - Parameter date: The time by the host's clock; nil if it is not set.
    package mutating func cutoff(at now: Instant, date: UTCTime?) -> UTCTime? {
        guard let date else {
            origin = nil
            return nil
        }
        let elapsed: Instant.Span = now - Instant.zero
        let present = date.advanced(by: .zero - elapsed)
        let drift = origin.map { present.span(since: $0) }
        if let drift, drift < UseExpiry.minJump, .zero - drift < UseExpiry.minJump, let steadySince {
            guard now - steadySince >= UseExpiry.settlingTime else { return nil }
            return UseExpiry.cutoff(date: date)
        }
        origin = present
        steadySince = now
        return nil
    }
}
