import Chronology
import Delivery
import Rehearsal
import Wire

/// Prints a rehearsal, for people or for programs.
struct RehearsalPrinter {
    private let start: UTCTime
    /// Names of the streams; where there is one only, it need not be said which.
    private let streams: [String]
    private let isJSON: Bool
    private let isBrief: Bool
    private var output = LineOutput()
    private var timeline: DayTimeline
    private var sequences: [Int]

    init(start: UTCTime, streams: [String], isJSON: Bool, isBrief: Bool) {
        (self.start, self.streams, self.isJSON, self.isBrief) = (start, streams, isJSON, isBrief)
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

    mutating func print(_ event: RehearsalEvent) throws(CommandError) {
        timeline.note(event)
        guard !isBrief, case .update(let update, let reached) = event.kind else { return }
        let moment = start.advanced(by: event.at)
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
            RehearsalWords.line(section, clock: RehearsalPrinter.clock(start.advanced(by: section.start)))
        }
        try StandardOutput.write(lines: (isBrief ? [] : [""]) + day + [""] + RehearsalWords.lines(summary))
    }

    /// Hours, minutes and seconds of UTC.
    private static func clock(_ moment: UTCTime) -> String {
        let seconds = moment.millisecondsOfDay / 1000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Fixed.padded(String($0), to: 2) }.joined(separator: ":")
    }
}
