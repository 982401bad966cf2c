import Chronology
import NMEA

/// Finds the day that a time of day belongs to.
///
/// Most sentences carry only `hhmmss`. A moment that is known in full, the anchor, is kept from RMC or ZDA and moved along with every
/// epoch; the day of any other time of day is the one nearest to the anchor, so midnight needs no rule of its own.
public struct Calendar: Sendable {
    /// A GPS week counter of 10 bits comes round every 1,024 weeks (IS-GPS-200, 20.3.3.3.1.1; last on 2019-04-07, next on 2038-11-21).
    static let rollover = 1024 * 7

    /// A day that the present is known not to be far from: the host's, a capture's header, or the day of this build. Used to undo a week
    /// rollover; and, until the receiver tells a date, to guess the day where ``guessesDay`` allows it.
    public private(set) var reference: CivilDate?
    private var anchor: UTCTime?

    /// A calendar that knows nothing.
    public init() {}

    /// Tells it a moment that is near the present.
    ///
    /// - Parameter guessesDay: Whether epochs may take their day from this before the receiver has told a date.
    public mutating func setReference(_ moment: UTCTime, guessesDay: Bool) {
        reference = moment.date
        if guessesDay && anchor == nil { anchor = moment }
    }

    /// Whether a date may be believed of a receiver that has no fix. Before its first one it states what its clock began with: 6 January
    /// 1980, or the day of its firmware, which lies years before the present.
    func isPlausible(_ date: CivilDate) -> Bool {
        guard let reference else { return true }
        return abs(reference.daysSince1970 - date.daysSince1970) <= 366
    }

    /// A date and time of day in one sentence: the truth, up to a rollover.
    mutating func learn(_ date: CivilDate, _ time: TimeOfDay) {
        anchor = UTCTime(date: unrolled(date), millisecondsOfDay: time.milliseconds)
    }

    /// The moment at which it was `time`; nil while no day is known. Moves the anchor there.
    mutating func resolve(_ time: TimeOfDay) -> UTCTime? {
        guard let anchor else { return nil }
        let half = UTCTime.day / 2
        var moment = UTCTime(date: anchor.date, millisecondsOfDay: time.milliseconds)
        if moment.milliseconds - anchor.milliseconds > half { moment.milliseconds -= UTCTime.day }
        if anchor.milliseconds - moment.milliseconds > half { moment.milliseconds += UTCTime.day }
        self.anchor = moment
        return moment
    }

    /// A date that lies more than 512 weeks before the reference has lost a rollover, or several.
    private func unrolled(_ date: CivilDate) -> CivilDate {
        guard let reference else { return date }
        let behind = reference.daysSince1970 - date.daysSince1970
        guard behind > Calendar.rollover / 2 else { return date }
        return CivilDate(daysSince1970: date.daysSince1970 + (behind + Calendar.rollover / 2) / Calendar.rollover * Calendar.rollover)
    }
}
