import Chronology
import NMEA

/// Finds the day that a time of day belongs to.
///
/// Most sentences carry only `hhmmss`. A moment that is known in full, the anchor, is kept from RMC or ZDA and moved along with every
/// epoch; the day of any other time of day is the one nearest to the anchor and the time that has passed since. So midnight needs no rule
/// of its own, and no night without an epoch loses a day.
public struct Calendar: Sendable {
    /// A GPS week counter of 10 bits comes round every 1,024 weeks (IS-GPS-200, 20.3.3.3.1.1; last on 2019-04-07, next on 2038-11-21).
    static let rollover = 1024 * 7
    /// Days by which the host may be wrong, or a receiver's clock before its first fix.
    static let tolerance = 366
    /// Milliseconds around midnight in which a receiver's date may not yet agree with its time of day.
    static let midnight: Int64 = 60_000
    /// GPS began on 1980-01-06: a clock that was never set says that day, or with its leap seconds the one before.
    static let firstDay = 3657

    /// Where the anchor comes from, least first.
    private enum Origin: Comparable {
        /// The receiver, without a fix: its clock may be anything.
        case unconfirmed
        /// The reference.
        case guess
        /// The receiver, with a fix.
        case told
    }

    private struct Anchor: Sendable {
        var moment: UTCTime
        var at: Instant
        var origin: Origin
    }

    /// A day that the present is known not to be far from: the host's, a capture's header, or the day of this build. Used to undo a week
    /// rollover; and, until the receiver tells a date, to guess the day where the teller allows it.
    public private(set) var reference: CivilDate?
    /// The present is known to lie after ``reference``, and no more.
    private var isFloor = false
    private var anchor: Anchor?

    /// A calendar that knows nothing.
    public init() {}

    /// Tells it a moment that is near the present.
    ///
    /// - Parameters:
    ///   - guessesDay: Whether epochs may take their day from this before the receiver has told a date.
    ///   - isFloor: Whether it is only known to have passed: the day of this build, on a host whose clock was never set.
    ///   - now: When it is told.
    public mutating func setReference(_ moment: UTCTime, guessesDay: Bool, isFloor: Bool = false, at now: Instant = .zero) {
        reference = moment.date
        self.isFloor = isFloor
        if guessesDay && anchor == nil { anchor = Anchor(moment: moment, at: now, origin: .guess) }
    }

    /// A date and time of day in one sentence.
    ///
    /// With a fix it is the truth, up to a rollover and the moment of midnight. Without, it is what the clock began with, 6 January 1980 or
    /// the day of the firmware: good for want of better, and not for fixes.
    mutating func learn(_ date: CivilDate, _ time: TimeOfDay, hasFix: Bool, at now: Instant) {
        let day = unrolled(date)
        let isNear = reference.map { abs($0.daysSince1970 - day.daysSince1970) <= Calendar.tolerance }
        let moment = UTCTime(date: day, millisecondsOfDay: time.milliseconds)
        if hasFix {
            guard date.daysSince1970 > Calendar.firstDay || isNear == true, !lags(moment, time, at: now) else { return }
            anchor = Anchor(moment: moment, at: now, origin: .told)
        } else if isNear != false, (anchor?.origin ?? .unconfirmed) == .unconfirmed {
            anchor = Anchor(moment: moment, at: now, origin: .unconfirmed)
        }
    }

    /// The moment at which it was `time`; nil while no day is known that is good enough. Moves the anchor there.
    mutating func resolve(_ time: TimeOfDay, hasFix: Bool, at now: Instant) -> UTCTime? {
        guard let moment = nearest(time, at: now), let origin = anchor?.origin else { return nil }
        anchor = Anchor(moment: moment, at: now, origin: origin)
        return hasFix && origin == .unconfirmed ? nil : moment
    }

    /// The day of RMC's two digits: by ``ShortDate/civil``, or a century later where that has come.
    func civil(_ date: ShortDate) -> CivilDate? {
        guard let day = date.civil else { return nil }
        guard let reference, let later = CivilDate(year: day.components.year + 100, month: Int(date.month), day: Int(date.day)) else {
            return day
        }
        return later.daysSince1970 <= reference.daysSince1970 + Calendar.tolerance ? later : day
    }

    private func nearest(_ time: TimeOfDay, at now: Instant) -> UTCTime? {
        guard let anchor else { return nil }
        let expected = anchor.moment.advanced(by: max(now - anchor.at, .zero))
        let half = UTCTime.day / 2
        var moment = UTCTime(date: expected.date, millisecondsOfDay: time.milliseconds)
        if moment.milliseconds - expected.milliseconds > half { moment.milliseconds -= UTCTime.day }
        if expected.milliseconds - moment.milliseconds > half { moment.milliseconds += UTCTime.day }
        return moment
    }

    /// Whether a date is the old one just after midnight, or the new one just before: the sentence took its two fields at two moments.
    private func lags(_ stated: UTCTime, _ time: TimeOfDay, at now: Instant) -> Bool {
        guard let anchor, anchor.origin == .told, let expected = nearest(time, at: now) else { return false }
        let passed = max(now - anchor.at, .zero)
        guard abs(expected.since(anchor.moment.advanced(by: passed)).nanoseconds) < Calendar.midnight * 1_000_000 else { return false }
        let error = stated.milliseconds - expected.milliseconds
        let ofDay = Int64(expected.millisecondsOfDay)
        // 24:00:00 and the leap second belong to the day that ends; said with the date of the next one, that date is early.
        let isBeyond = time.milliseconds >= Int(UTCTime.day)
        return error == -UTCTime.day && ofDay < Calendar.midnight
            || error == UTCTime.day && (isBeyond || ofDay > UTCTime.day - Calendar.midnight)
    }

    /// A date that has lost a rollover, or several, is given them back: one before the floor, or more than 512 weeks before the host's day
    /// where that brings it near.
    private func unrolled(_ date: CivilDate) -> CivilDate {
        guard let reference else { return date }
        let behind = reference.daysSince1970 - date.daysSince1970
        let lost: Int
        if isFloor {
            lost = behind > 1 ? (behind - 2) / Calendar.rollover + 1 : 0
        } else {
            lost = behind > Calendar.rollover / 2 ? (behind + Calendar.tolerance) / Calendar.rollover : 0
        }
        return CivilDate(daysSince1970: date.daysSince1970 + lost * Calendar.rollover)
    }
}
