import Chronology
import Rehearsal

/// A rehearsed day for people.
enum RehearsalWords {
    private static let barWidth = 40

    /// A stretch of the day in one line; `unasked`: what one is called in which no client asks.
    static func line(_ section: DayTimeline.Section, clock: String, unasked: String) -> String {
        let long = TimeText.span((section.end - section.start).seconds)
        var counts: [String] = []
        if section.updates > 0 { counts.append(count(section.updates, "update")) }
        if section.looks > 0 { counts.append(count(section.looks, "look")) }
        let head = "\(clock)  \(Columns.fit(words(section.stretch) ?? unasked, to: 12))  \(Columns.fit(long, to: 12, alignRight: true))"
        return head + (counts.isEmpty ? "" : "  " + counts.joined(separator: ", "))
    }

    /// What it came to.
    static func lines(_ summary: RehearsalSummary) -> [String] {
        let share = summary.energyShare
        let percent = Fixed.text(share * 100, share < 0.1 ? 2 : 1)
        let joules = "\(amount(summary.energyJoules)) J of \(amount(summary.alwaysOnEnergyJoules)) J"
        var lines = [
            "energy     \(bar(share)) \(percent) % of always on: \(joules)",
            "receiver   on for \(TimeText.span(summary.receiverOnSeconds)) of \(TimeText.span(summary.seconds)), "
                + count(summary.fixes, "fix", "fixes"),
            "computer   \(count(summary.hostWakeups, "wakeup")), \(Fixed.text(summary.wakeupsPerMinute, 2)) a minute",
            "at rest    \(TimeText.span(summary.stationarySeconds))"
                + (summary.stationarySeconds > 0 ? ", \(Fixed.text(summary.hostWakeupsPerMinuteAtRest, 2)) wakeups a minute" : ""),
        ]
        if !summary.resumeDelays.isEmpty {
            lines.append("departures told after \(summary.resumeDelays.map(TimeText.span).joined(separator: ", "))")
        }
        if summary.missedDepartures > 0 { lines.append("departures never told: \(summary.missedDepartures)") }
        if summary.falseResumes > 0 { lines.append("movements told that were none: \(summary.falseResumes)") }
        return lines + FenceWords.lines(summary)
    }

    /// A bar of a share, 0 ... 1 and more.
    static func bar(_ share: Double) -> String {
        let filled = min(max(Int((share * Double(barWidth)).rounded(.up)), 0), barWidth)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled) + "]"
    }

    private static func words(_ stretch: DayTimeline.Stretch) -> String? {
        switch stretch {
        case .unasked: nil
        case .withoutPosition: "no position"
        case .moving: "moving"
        case .resting: "at rest"
        }
    }

    private static func count(_ number: Int, _ one: String, _ more: String? = nil) -> String {
        "\(Fixed.grouped(number)) \(number == 1 ? one : more ?? one + "s")"
    }

    private static func amount(_ joules: Double) -> String {
        joules < 10 ? Fixed.text(joules, 1) : Int(exactly: joules.rounded()).map(Fixed.grouped) ?? "\(joules)"
    }
}
