import Chronology
import NMEA

/// Determines the date of a time of day.
///
/// Most sentences contain only `hhmmss`. The dated moment has a known date, from RMC or ZDA,
/// and moves with every epoch. The date of any other time of day is the one nearest to the dated
/// moment plus the elapsed time. Midnight thus needs no special rule, and a night without epochs
/// loses no day.
public struct GNSSCalendar: Sendable {
    /// Days after which a 10-bit GPS week counter wraps: 1,024 weeks (IS-GPS-200, 20.3.3.3.1.1;
    /// last on 2019-04-07, next on 2038-11-21).
    static let rollover = 1024 * 7
    /// Days by which the host's date may be wrong, or that of a receiver's clock before its first
    /// fix.
    static let tolerance = 366
    /// Milliseconds around midnight within which a receiver's date may not match its time of day.
    static let midnight: Int64 = 60_000
    /// The first day of GPS, 1980-01-06. A clock that was never set reports that day, or the day
    /// before because of leap seconds.
    static let firstDay = 3657

    /// The source of the dated moment, least reliable first.
    private enum Origin: Comparable {
        /// The receiver without a fix: its clock may have any value.
        case unconfirmed
        /// The reference date.
        case guess
        /// The receiver with a fix.
        case confirmed
    }

    private struct DatedMoment: Sendable {
        var moment: UTCTime
        var at: Instant
        var origin: Origin
    }

    /// A date near the present: the host's, that of a capture's header, or that of this build.
    ///
    /// It corrects a week rollover. Until the receiver reports a date, it also serves as a guess of
    /// the date if the caller permits it.
    public private(set) var reference: CivilDate?
    /// Whether the present is only known to be later than ``reference``.
    private var isFloor = false
    private var datedMoment: DatedMoment?
    var isGuessed: Bool { datedMoment?.origin == .guess }
    /// A date that contradicts the dated moment and that no second sentence has confirmed.
    private var unconfirmedDay: Int?

    /// Creates a calendar without any date.
    public init() {}

    /// Sets the reference to a moment near the present.
    ///
    /// - Parameters:
    ///   - guessesDay: Whether epochs may use its date before the receiver has reported one.
    ///   - isFloor: Whether the moment is only known to be in the past: the day of this build, on a
    ///     host whose clock was never set.
    ///   - now: The instant to which `moment` corresponds.
    public mutating func setReference(
        _ moment: UTCTime, guessesDay: Bool, isFloor: Bool = false, at now: Instant = .zero
    ) {
        reference = moment.date
        self.isFloor = isFloor
        if guessesDay && datedMoment == nil { datedMoment = DatedMoment(moment: moment, at: now, origin: .guess) }
    }

    /// Records a date and time of day from one sentence.
    ///
    /// With a fix the date is correct, except for a rollover and around midnight. Without a fix it
    /// is the initial value of the clock, 6 January 1980 or the day of the firmware. It then serves
    /// only as a fallback, and not for fixes.
    mutating func record(_ date: CivilDate, time: TimeOfDay, hasFix: Bool, at now: Instant) {
        let day = correctingRollover(date)
        let isNear = reference.map { abs($0.daysSince1970 - day.daysSince1970) <= GNSSCalendar.tolerance }
        let moment = UTCTime(date: day, millisecondsOfDay: time.milliseconds)
        if hasFix {
            guard date.daysSince1970 > GNSSCalendar.firstDay || isNear == true,
                !isDateOffByOne(moment, time: time, at: now), isConfirmed(moment, time: time, at: now)
            else { return }
            datedMoment = DatedMoment(moment: moment, at: now, origin: .confirmed)
        } else if isNear != false, (datedMoment?.origin ?? .unconfirmed) == .unconfirmed {
            datedMoment = DatedMoment(moment: moment, at: now, origin: .unconfirmed)
        }
    }

    /// Returns the moment of a time of day; nil if no sufficiently reliable date is known. Moves
    /// the dated moment to this moment.
    mutating func resolve(_ time: TimeOfDay, hasFix: Bool, at now: Instant) -> UTCTime? {
        guard let moment = nearest(time, at: now), let origin = datedMoment?.origin else { return nil }
        datedMoment = DatedMoment(moment: moment, at: now, origin: origin)
        return hasFix && origin == .unconfirmed ? nil : moment
    }

    /// Returns the date of RMC's two-digit year: that of ``ShortDate/civilDate``, or a century
    /// later if that is not in the future.
    func civil(_ date: ShortDate) -> CivilDate? {
        guard let day = date.civilDate else { return nil }
        guard let reference,
            let later = CivilDate(year: day.components.year + 100, month: Int(date.month), day: Int(date.day))
        else {
            return day
        }
        return later.daysSince1970 <= reference.daysSince1970 + GNSSCalendar.tolerance ? later : day
    }

    private func nearest(_ time: TimeOfDay, at now: Instant) -> UTCTime? {
        guard let datedMoment else { return nil }
        let expected = datedMoment.moment.advanced(by: max(now - datedMoment.at, .zero))
        let half = UTCTime.millisecondsPerDay / 2
        var moment = UTCTime(date: expected.date, millisecondsOfDay: time.milliseconds)
        if moment.milliseconds - expected.milliseconds > half { moment.milliseconds -= UTCTime.millisecondsPerDay }
        if expected.milliseconds - moment.milliseconds > half { moment.milliseconds += UTCTime.millisecondsPerDay }
        return moment
    }

    /// Returns whether a date agrees with the dated moment or with the last one that did not. A
    /// date is doubted only if its time of day continues from the dated moment.
    private mutating func isConfirmed(_ reported: UTCTime, time: TimeOfDay, at now: Instant) -> Bool {
        let day = reported.date.daysSince1970
        defer { unconfirmedDay = nil }
        guard let datedMoment, datedMoment.origin == .confirmed, let expected = nearest(time, at: now),
            expected.date.daysSince1970 != day
        else { return true }
        let elapsed = datedMoment.moment.advanced(by: max(now - datedMoment.at, .zero))
        guard abs(expected.milliseconds - elapsed.milliseconds) < GNSSCalendar.midnight, unconfirmedDay != day else {
            return true
        }
        defer { unconfirmedDay = day }
        return false
    }

    /// Returns whether a date lags just after midnight or leads just before it, because the
    /// sentence took date and time at different moments.
    private func isDateOffByOne(_ reported: UTCTime, time: TimeOfDay, at now: Instant) -> Bool {
        guard let datedMoment, datedMoment.origin == .confirmed, let expected = nearest(time, at: now) else {
            return false
        }
        let elapsed = max(now - datedMoment.at, .zero)
        guard
            abs(expected.span(since: datedMoment.moment.advanced(by: elapsed)).nanoseconds) < GNSSCalendar.midnight
                * 1_000_000
        else { return false }
        let error = reported.milliseconds - expected.milliseconds
        let ofDay = Int64(expected.millisecondsOfDay)
        // 24:00:00 and the leap second belong to the ending day. A sentence that combines them with
        // the next date is early.
        let isBeyond = time.milliseconds >= Int(UTCTime.millisecondsPerDay)
        return error == -UTCTime.millisecondsPerDay && ofDay < GNSSCalendar.midnight
            || error == UTCTime.millisecondsPerDay
                && (isBeyond || ofDay > UTCTime.millisecondsPerDay - GNSSCalendar.midnight)
    }

    /// Adds the rollovers that a date has lost, one or several. This applies to a date before the
    /// floor, or more than 512 weeks before the host's date if the result is near it.
    private func correctingRollover(_ date: CivilDate) -> CivilDate {
        guard let reference else { return date }
        let behind = reference.daysSince1970 - date.daysSince1970
        let rollovers: Int
        if isFloor {
            rollovers = behind > 1 ? (behind - 2) / GNSSCalendar.rollover + 1 : 0
        } else {
            rollovers =
                behind > GNSSCalendar.rollover / 2 ? (behind + GNSSCalendar.tolerance) / GNSSCalendar.rollover : 0
        }
        return CivilDate(daysSince1970: date.daysSince1970 + rollovers * GNSSCalendar.rollover)
    }
}
