import Chronology
import Geodesy
import NMEA

/// The latest headings of one receiver, one of each source, and its variation.
///
/// It does not choose between sources: with several receivers, the choice concerns all of them.
public struct HeadingReports: Sendable {
    /// The time after which a heading is no longer valid. The slowest receivers report every 2 s.
    public static let lifetime = Instant.Span.seconds(5)
    /// The time for which a reported variation is valid. An airliner flies 150 km meanwhile, across
    /// which it changes by one or two degrees.
    static let variationLifetime = Instant.Span.seconds(600)

    /// The latest report of a source.
    public struct Entry: Sendable, Equatable {
        /// The report.
        public var report: HeadingReport
        /// When it arrived.
        public var at: Instant
        /// Since when the source has reported without a gap of ``HeadingReports/lifetime``.
        public var since: Instant

        /// Returns whether the report is still valid.
        public func isCurrent(at now: Instant) -> Bool { now - at < HeadingReports.lifetime }
    }

    /// A variation with its source and arrival.
    private struct Variation: Sendable {
        var degrees: Double
        var source: VariationSource
        var at: Instant
    }

    /// The latest report of each source that the receiver has used, in any order.
    public private(set) var entries: [Entry] = []
    private var variation: Variation?

    /// Creates an empty value.
    public init() {}

    /// Records the heading of a sentence. A sentence without a valid heading changes nothing.
    public mutating func record(_ sentence: Sentence, at now: Instant) {
        if let report = HeadingReport(sentence) { record(report, at: now) }
    }

    private mutating func record(_ report: HeadingReport, at now: Instant) {
        if let degrees = report.variation { variation = Variation(degrees: degrees, source: .hdg, at: now) }
        guard let index = entries.firstIndex(where: { $0.report.source == report.source }) else {
            return entries.append(Entry(report: report, at: now, since: now))
        }
        if !entries[index].isCurrent(at: now) { entries[index].since = now }
        entries[index].report = report
        entries[index].at = now
    }

    /// Records the variation of RMC in degrees, east positive.
    ///
    /// Exactly 0 counts as unknown: receivers without a model send it. A recent variation of HDG
    /// has precedence.
    public mutating func record(variationOfRMC degrees: Double?, at now: Instant) {
        guard let degrees = HeadingReport.plausible(variation: degrees), degrees != 0,
            variation?.source != .hdg || !hasVariation(at: now)
        else { return }
        variation = Variation(degrees: degrees, source: .rmc, at: now)
    }

    private func hasVariation(at now: Instant) -> Bool {
        variation.map { now - $0.at < HeadingReports.variationLifetime } ?? false
    }

    /// Returns the entry of a course over ground; nil if the course is not valid as a heading.
    public static func course(of fix: Fix, at: Instant) -> Entry? {
        HeadingReport(courseOf: fix).map { Entry(report: $0, at: at, since: at) }
    }

    /// Returns the heading of an entry, with both directions if the variation is known.
    ///
    /// - Parameters:
    ///   - entry: An entry of this receiver, or its course.
    ///   - position: The last fix with a position, for the World Magnetic Model.
    ///   - clock: The receiver's time and the instant at which it was valid; nil if unknown.
    public func heading(
        of entry: Entry, position: Fix?, clock: (time: UTCTime, at: Instant)?, at now: Instant
    ) -> HeadingSample {
        let report = entry.report
        var heading = HeadingSample(
            report.degrees, isMagnetic: report.isMagnetic, source: report.source, accuracy: report.accuracy)
        heading.time = clock.map { HeadingReports.time(of: entry, clock: $0) }
        if let variation, hasVariation(at: now) {
            heading.join(variation.degrees, from: variation.source)
        } else if let declination = position.flatMap(HeadingReports.declination) {
            heading.join(declination, from: .model)
        }
        return heading
    }

    /// Returns the declination at a position by the World Magnetic Model; nil without a date, and
    /// outside the years of the model.
    private static func declination(at fix: Fix) -> Double? {
        guard let place = fix.coordinate, let year = fix.time?.decimalYear else { return nil }
        let height = fix.ellipsoidalAltitude ?? fix.altitude ?? 0
        return MagneticField(at: place, height: height, year: year)?.declination
    }

    /// Returns the moment with the time of day of a report that is nearest to the receiver's clock.
    /// Without a time of day, it is that clock when the report arrived.
    private static func time(of entry: Entry, clock: (time: UTCTime, at: Instant)) -> UTCTime {
        let arrival = clock.time.advanced(by: entry.at - clock.at)
        guard let timeOfDay = entry.report.time else { return arrival }
        let day = UTCTime.millisecondsPerDay
        var moment = UTCTime(date: arrival.date, millisecondsOfDay: timeOfDay.milliseconds)
        if moment.span(since: arrival) > .milliseconds(day / 2) { moment.milliseconds -= day }
        if arrival.span(since: moment) > .milliseconds(day / 2) { moment.milliseconds += day }
        return moment
    }
}
