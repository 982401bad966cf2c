import Chronology
import Geofencing
import Simulator

/// A rehearsed day as text.
enum RehearsalFormatter {
    private static let barWidth = 40

    /// Returns the line of one section of the day; `idleLabel` is the label of a section without
    /// any stream.
    static func line(_ section: DayTimeline.Section, clock: String, idleLabel: String) -> String {
        let duration = TimeText.span((section.end - section.start).seconds)
        var counts: [String] = []
        if section.updates > 0 { counts.append(count(section.updates, singular: "update")) }
        if section.wakeups > 0 { counts.append(count(section.wakeups, singular: "check")) }
        let head =
            "\(clock)  \(DisplayWidth.fit(text(of: section.state) ?? idleLabel, to: 12))  "
            + "\(DisplayWidth.fit(duration, to: 12, alignRight: true))"
        return head + (counts.isEmpty ? "" : "  " + counts.joined(separator: ", "))
    }

    /// Returns the lines of the summary.
    static func lines(_ summary: RehearsalSummary) -> [String] {
        let share = summary.energyShare
        let percent = DecimalText.text(share * 100, decimals: share < 0.1 ? 2 : 1)
        let joules = "\(amount(summary.energyJoules)) J of \(amount(summary.alwaysOnEnergyJoules)) J"
        var lines = [
            "energy     \(bar(share)) \(percent) % of always on: \(joules)",
            "receiver   on for \(TimeText.span(summary.receiverOnSeconds)) of \(TimeText.span(summary.seconds)), "
                + count(summary.fixes, singular: "fix", plural: "fixes"),
            "computer   \(count(summary.hostWakeups, singular: "wakeup")), "
                + "\(DecimalText.text(summary.wakeupsPerMinute, decimals: 2)) per minute",
            "at rest    \(TimeText.span(summary.stationarySeconds))"
                + (summary.stationarySeconds > 0
                    ? ", \(DecimalText.text(summary.hostWakeupsPerMinuteAtRest, decimals: 2)) wakeups per minute" : ""),
        ]
        if !summary.resumeDelays.isEmpty {
            lines.append("departures reported after \(summary.resumeDelays.map(TimeText.span).joined(separator: ", "))")
        }
        if summary.missedDepartures > 0 { lines.append("departures not reported: \(summary.missedDepartures)") }
        if summary.falseResumes > 0 { lines.append("false departures reported: \(summary.falseResumes)") }
        return lines + fenceLines(summary)
    }

    /// Returns a bar for a share of 0 ... 1; higher shares fill the bar.
    static func bar(_ share: Double) -> String {
        let filled = min(max(Int((share * Double(barWidth)).rounded(.up)), 0), barWidth)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled) + "]"
    }

    private static func text(of state: DayTimeline.State) -> String? {
        switch state {
        case .noStreams: nil
        case .noPosition: "no position"
        case .moving: "moving"
        case .stationary: "at rest"
        }
    }

    private static func count(_ number: Int, singular: String, plural: String? = nil) -> String {
        "\(DecimalText.grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    private static func amount(_ joules: Double) -> String {
        joules < 10
            ? DecimalText.text(joules, decimals: 1)
            : Int(exactly: joules.rounded()).map(DecimalText.grouped) ?? "\(joules)"
    }
}

/// The results of the fences.
extension RehearsalFormatter {
    /// Returns a line for each event and each missed crossing, then the totals.
    private static func fenceLines(_ summary: RehearsalSummary) -> [String] {
        guard !summary.events.isEmpty else { return [] }
        var lines = [""] + summary.events.map(fenceLine) + [""]
        if let delay = summary.crossingDelay95 {
            lines.append(
                "crossings  \(summary.crossingDelays.count) reported, 95 of 100 within \(TimeText.span(delay))")
        }
        lines.append("missed     \(summary.missedCrossings)")
        lines.append("false      \(summary.falseCrossings)")
        return lines
    }

    private static func fenceLine(_ result: FenceResult) -> String {
        let kind = ConditionEvent.Kind(rawValue: result.kind)
        let eventText =
            kind.flatMap { kind in ConditionState(rawValue: result.state).map { FenceFormatter.kind(kind, state: $0) } }
            ?? result.kind
        let name = "\(result.identifier): \(eventText)"
        return "\(clock(result.published ?? result.crossed))  \(DisplayWidth.fit(name, to: 32))  \(outcome(of: result))"
    }

    private static func outcome(of result: FenceResult) -> String {
        let crossed = clock(result.crossed)
        switch result.verdict {
        case .missed: return "not reported"
        case .wrong: return "false"
        case .notScored: return ""
        case .right:
            guard let delay = result.delay else { return "correct" }
            let span = TimeText.span(abs(delay))
            return delay < 0
                ? "reported \(span) before the crossing at \(crossed)"
                : "reported \(span) after the crossing at \(crossed)"
        }
    }

    /// Returns the local time of day of a wire timestamp.
    private static func clock(_ moment: String?) -> String {
        moment.flatMap { UTCTime(rfc3339: $0) }.map(TimeText.clock) ?? "        "
    }
}
