import Chronology
import Geofencing
import Locator
import SextantAPI
import Simulator
import Varlink

/// A rehearsed day as text.
enum RehearsalFormatter {
    private static let barWidth = 40

    /// Returns the line of one section of the day; `idleLabel` is the label of a section without
    /// any stream.
    static func line(_ section: DayTimeline.Section, clock: String, idleLabel: String) -> String {
        let duration = TimeText.span((section.end - section.start).seconds)
        var counts: [String] = []
        if section.updates > 0 { counts.append(DecimalText.count(section.updates, "update")) }
        if section.wakeups > 0 { counts.append(DecimalText.count(section.wakeups, "check")) }
        let head =
            "\(clock)  \(DisplayWidth.fit(text(of: section.state) ?? idleLabel, to: 12))  "
            + "\(DisplayWidth.fit(duration, to: 12, alignRight: true))"
        return head + (counts.isEmpty ? "" : "  " + counts.joined(separator: ", "))
    }

    static func lines(_ summary: RehearsalSummary) -> [String] {
        let share = summary.energyShare
        let percent = DecimalText.text(share * 100, decimals: share < 0.1 ? 2 : 1)
        let joules = "\(amount(summary.energyJoules)) J of \(amount(summary.alwaysOnEnergyJoules)) J"
        var lines = [
            "energy     \(bar(share)) \(percent) % of always on: \(joules)",
            "receiver   on for \(TimeText.span(summary.receiverOnSeconds)) of \(TimeText.span(summary.seconds)), "
                + DecimalText.count(summary.fixes, "fix", "fixes"),
            "computer   \(DecimalText.count(summary.hostWakeups, "wakeup")), "
                + "\(DecimalText.text(summary.wakeupsPerMinute, decimals: 2)) per minute",
            "at rest    \(TimeText.span(summary.stationarySeconds))"
                + (summary.stationarySeconds > 0
                    ? ", \(DecimalText.text(summary.hostWakeupsPerMinuteAtRest, decimals: 2)) wakeups per minute" : ""),
        ]
        if !summary.resumeDelays.isEmpty {
            lines.append("departures reported after \(summary.resumeDelays.map(TimeText.span).joined(separator: ", "))")
        }
        if summary.missedDepartures > 0 { lines.append("departures not reported: \(summary.missedDepartures)") }
        if let source = summary.motionSource {
            let reports = DecimalText.count(source.reports, "report")
            lines.append("motion     \(reports) of a source, which is \(source.trust) at the end")
        }
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

/// Prints a rehearsal as text or as JSON.
struct RehearsalPrinter {
    private let start: UTCTime
    /// The names of the streams. The text output shows them only if there are several.
    private let streams: [String]
    private let fences: [String]
    private let isJSON: Bool
    private let isBrief: Bool
    private var output = JSONLineWriter()
    private var timeline: DayTimeline
    private var sequences: [Int]

    init(start: UTCTime, streams: [String], fences: [String], isJSON: Bool, isBrief: Bool) {
        self.start = start
        self.streams = streams
        self.fences = fences
        self.isJSON = isJSON
        self.isBrief = isBrief
        timeline = DayTimeline(hasStreams: !streams.isEmpty)
        sequences = Array(repeating: 0, count: streams.count)
    }

    mutating func print(_ event: RehearsalEvent) throws(CommandError) {
        timeline.record(event)
        guard !isBrief else { return }
        let moment = start.advanced(by: event.time)
        switch event.kind {
        case .update(let update, let recipients): try print(update, to: recipients, at: moment)
        case .crossing(let event, let fence): try print(event, of: fence, at: moment)
        case .plan: break
        }
    }

    private mutating func print(_ event: ConditionEvent, of fence: Int, at moment: UTCTime) throws(CommandError) {
        guard fences.indices.contains(fence) else { return }
        if isJSON {
            // With the time of its publication.
            var line = EventLine(event, identifier: fences[fence], receiver: Rehearsal.name).members
            line["at"] = .string(moment.description)
            output.write(line)
        } else {
            let kind = FenceFormatter.kind(event.kind, state: event.state)
            try StandardOutput.write(lines: [
                "\(TimeText.clock(moment))  \(fences[fence]): \(kind)"
            ])
        }
    }

    private mutating func print(_ update: Update, to recipients: [Int], at moment: UTCTime) throws(CommandError) {
        for index in recipients where streams.indices.contains(index) {
            sequences[index] += 1
            let reply = SubscribeReply(sequence: sequences[index], dropped: 0, update)
            if isJSON {
                // As a client would have received it, with its time and the name of its stream.
                var line = reply.members
                (line["at"], line["stream"]) = (.string(moment.description), .string(streams[index]))
                output.write(line)
            } else {
                let name = streams.count > 1 ? streams[index] + "  " : ""
                try StandardOutput.write(lines: [
                    "\(TimeText.clock(moment))  \(name)\(PositionLine.text(reply))"
                ])
            }
        }
    }

    mutating func finish(_ summary: RehearsalSummary, until end: Instant.Span) throws(CommandError) {
        guard !isJSON else {
            output.write(summary)
            return try output.finish()
        }
        let day = timeline.sections(until: end).map { section in
            RehearsalFormatter.line(
                section, clock: TimeText.clock(start.advanced(by: section.start)),
                idleLabel: fences.isEmpty ? "no clients" : "fences only")
        }
        try StandardOutput.write(lines: (isBrief ? [] : [""]) + day + [""] + RehearsalFormatter.lines(summary))
    }
}
