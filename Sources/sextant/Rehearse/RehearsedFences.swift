import Chronology
import Geofencing
import Rehearsal

/// What became of the fences of a rehearsed day, for people.
enum RehearsedFences {
    /// A line for each event and each crossing that was missed, and what they came to.
    static func lines(_ summary: RehearsalSummary) -> [String] {
        guard !summary.events.isEmpty else { return [] }
        var lines = [""] + summary.events.map(line) + [""]
        if let late = summary.crossingDelay95 {
            lines.append("crossings  \(summary.crossingDelays.count) told, 95 of 100 within \(TimeText.span(late))")
        }
        lines.append("missed     \(summary.missedCrossings)")
        lines.append("false      \(summary.falseCrossings)")
        return lines
    }

    private static func line(_ account: FenceAccount) -> String {
        let kind = ConditionEvent.Kind(rawValue: account.kind)
        let what = kind.flatMap { kind in ConditionState(rawValue: account.state).map { FenceWords.kind(kind, $0) } } ?? account.kind
        let name = "\(Columns.harmless(account.identifier)): \(what)"
        return "\(clock(account.told ?? account.crossed))  \(Columns.fit(name, to: 32))  \(judgement(account))"
    }

    private static func judgement(_ account: FenceAccount) -> String {
        let crossed = clock(account.crossed)
        switch account.verdict {
        case .missed: return "never told"
        case .wrong: return "was not so"
        case .unjudged: return ""
        case .right:
            guard let delay = account.delay else { return "it is" }
            let span = TimeText.span(abs(delay))
            return delay < 0 ? "told \(span) before the crossing at \(crossed)" : "told \(span) after the crossing at \(crossed)"
        }
    }

    /// Hours, minutes and seconds of a moment of the wire.
    private static func clock(_ moment: String?) -> String { moment.map { String($0.dropFirst(11).prefix(8)) } ?? "        " }
}
