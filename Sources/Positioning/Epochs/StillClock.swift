import Chronology
import NMEA

/// Watches for a receiver that goes on telling of a position at a time that does not move.
///
/// Trimble's Placer 450 does so when it has lost the satellites: GGA says 1, and its clock stands still.
struct StillClock: Sendable {
    /// What comes again sooner is a late sentence or a multiplexer's repeat. As long as the slowest receivers' period.
    static let patience = Instant.Span.seconds(2)
    /// After this long without a word the same time of day is that of another day.
    static let halfDay = Instant.Span.seconds(43_200)

    private var moved = Instant.zero
    private var lastSaid = Instant.zero
    /// Whether the receiver claims a position at a time long past.
    private(set) var isStill = false

    /// An epoch of another time has begun.
    mutating func moves(at now: Instant) {
        (moved, lastSaid, isStill) = (now, now, false)
    }

    /// A sentence has stated the time of the epoch before once more.
    mutating func repeats(_ sentence: Sentence, at now: Instant) {
        lastSaid = now
        if now - moved >= StillClock.patience && sentence.claimsPosition { isStill = true }
    }

    /// Whether the same time of day can still be the same moment.
    func isSameDay(at now: Instant) -> Bool { now - lastSaid < StillClock.halfDay }
}

extension Sentence {
    /// Whether it says that the receiver has a position.
    fileprivate var claimsPosition: Bool {
        switch self {
        case .gga(let gga): gga.position != nil && gga.quality.map { $0 > 0 } ?? false
        case .rmc(let rmc): rmc.position != nil && rmc.isValid == true
        case .gll(let gll): gll.position != nil && gll.isValid == true
        case .proprietary(let own): Solution(own).map { $0.position != nil && $0.quality.isPosition } ?? false
        default: false
        }
    }
}
