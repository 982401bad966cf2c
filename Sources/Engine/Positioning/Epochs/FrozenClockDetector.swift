import Chronology
import NMEA

/// Detects a receiver that keeps reporting a position with a time that does not change.
///
/// Trimble's Placer 450 does so after it loses the satellites: GGA has quality 1, and its clock is
/// frozen.
struct FrozenClockDetector: Sendable {
    /// The age below which a repeated time is a late sentence or a multiplexer's repeat. Equal to
    /// the period of the slowest receivers.
    static let minFrozenDuration = Instant.Span.seconds(2)
    /// The silence after which the same time of day belongs to another day.
    static let sameDayLimit = Instant.Span.seconds(43_200)

    private var lastAdvance = Instant.zero
    private var lastReported = Instant.zero
    /// Whether the receiver reports a position with a frozen time.
    private(set) var isFrozen = false

    /// Records the start of an epoch with another time.
    mutating func recordNewTime(at now: Instant) {
        lastAdvance = now
        lastReported = now
        isFrozen = false
    }

    /// Records a sentence that repeats the time of the previous epoch.
    mutating func recordRepeatedTime(_ sentence: Sentence, at now: Instant) {
        lastReported = now
        if now - lastAdvance >= FrozenClockDetector.minFrozenDuration && sentence.claimsPosition { isFrozen = true }
    }

    /// Returns whether the same time of day can still be the same moment.
    func isSameDay(at now: Instant) -> Bool { now - lastReported < FrozenClockDetector.sameDayLimit }
}

extension Sentence {
    /// Whether the sentence reports that the receiver has a position.
    fileprivate var claimsPosition: Bool {
        switch self {
        case .gga(let gga): gga.position != nil && gga.quality.map { $0 > 0 } ?? false
        case .rmc(let rmc): rmc.position != nil && rmc.isValid == true
        case .gll(let gll): gll.position != nil && gll.isValid == true
        case .proprietary(let proprietary):
            ProprietarySolution(proprietary).map { $0.position != nil && $0.quality.isPosition } ?? false
        default: false
        }
    }
}
