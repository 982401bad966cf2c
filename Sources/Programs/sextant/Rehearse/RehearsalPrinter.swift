import Chronology
import Geofencing
import Locator
import SextantAPI
import Simulator
import Varlink

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

    /// An update as a client would have received it, with its time and the name of its stream.
    struct TimedUpdate: Encodable {
        let at: String
        let stream: String
        let reply: SubscribeReply

        private enum CodingKeys: CodingKey { case at, stream }

        func encode(to encoder: any Encoder) throws {
            try reply.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(at, forKey: .at)
            try container.encode(stream, forKey: .stream)
        }
    }

    /// An event of a fence with the time of its publication.
    struct TimedEvent: Encodable {
        let at: String
        let event: EventLine

        private enum CodingKeys: CodingKey { case at }

        func encode(to encoder: any Encoder) throws {
            try event.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(at, forKey: .at)
        }
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
            output.write(
                TimedEvent(
                    at: moment.description, event: EventLine(event, identifier: fences[fence], receiver: Rehearsal.name)
                ))
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
            let reply = SubscribeReply(sequence: sequences[index], dropped: 0, UpdateMessage(update))
            if isJSON {
                output.write(TimedUpdate(at: moment.description, stream: streams[index], reply: reply))
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
