import Chronology
import Delivery
import Geofencing
import Rehearsal
import Wire

/// Prints a rehearsal, for people or for programs.
struct RehearsalPrinter {
    private let start: UTCTime
    /// Names of the streams; where there is one only, it need not be said which.
    private let streams: [String]
    private let fences: [String]
    private let isJSON: Bool
    private let isBrief: Bool
    private var output = LineOutput()
    private var timeline: DayTimeline
    private var sequences: [Int]

    init(start: UTCTime, streams: [String], fences: [String], isJSON: Bool, isBrief: Bool) {
        (self.start, self.streams, self.fences, self.isJSON, self.isBrief) = (start, streams, fences, isJSON, isBrief)
        timeline = DayTimeline(hasStreams: !streams.isEmpty)
        sequences = Array(repeating: 0, count: streams.count)
    }

    /// An update as a client would have got it, with the moment and the name of its stream.
    struct Line: Encodable {
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

    /// An event of a fence, with the moment at which it was told.
    struct EventAt: Encodable {
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
        timeline.note(event)
        guard !isBrief else { return }
        let moment = start.advanced(by: event.at)
        switch event.kind {
        case .update(let update, let reached): try print(update, to: reached, at: moment)
        case .crossing(let event, let fence): try print(event, of: fence, at: moment)
        case .plan: break
        }
    }

    private mutating func print(_ event: ConditionEvent, of fence: Int, at moment: UTCTime) throws(CommandError) {
        guard fences.indices.contains(fence) else { return }
        if isJSON {
            output.write(EventAt(at: moment.description, event: EventLine(event, identifier: fences[fence], receiver: Rehearsal.name)))
        } else {
            let words = FenceWords.text(event.kind, event.state)
            try StandardOutput.write(lines: ["\(RehearsalPrinter.clock(moment))  \(Columns.harmless(fences[fence])): \(words)"])
        }
    }

    private mutating func print(_ update: Update, to reached: [Int], at moment: UTCTime) throws(CommandError) {
        for at in reached where streams.indices.contains(at) {
            sequences[at] += 1
            let reply = SubscribeReply(sequence: sequences[at], dropped: 0, UpdateMessage(update))
            if isJSON {
                output.write(Line(at: moment.description, stream: streams[at], reply: reply))
            } else {
                let name = streams.count > 1 ? streams[at] + "  " : ""
                try StandardOutput.write(lines: ["\(RehearsalPrinter.clock(moment))  \(name)\(PositionLine.text(reply, .kmh))"])
            }
        }
    }

    mutating func finish(_ summary: RehearsalSummary, until end: Instant.Span) throws(CommandError) {
        guard !isJSON else {
            output.write(summary)
            return try output.finish()
        }
        let day = timeline.sections(until: end).map { section in
            RehearsalWords.line(
                section, clock: RehearsalPrinter.clock(start.advanced(by: section.start)),
                unasked: fences.isEmpty ? "nobody asks" : "fences only")
        }
        try StandardOutput.write(lines: (isBrief ? [] : [""]) + day + [""] + RehearsalWords.lines(summary))
    }

    /// Hours, minutes and seconds of UTC.
    private static func clock(_ moment: UTCTime) -> String {
        let seconds = moment.millisecondsOfDay / 1000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Fixed.padded(String($0), to: 2) }.joined(separator: ":")
    }
}
