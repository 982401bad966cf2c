import Chronology

extension Fault {
    /// An error in a fault on the command line.
    package struct ParsingError: Error, Equatable, CustomStringConvertible {
        /// The complete argument.
        package var argument: String
        /// What is invalid, and what would be valid.
        package var reason: String

        /// The error message.
        package var description: String { "\"\(argument)\": \(reason)" }
    }

    /// Parses `KIND@START[+DURATION][:RATE]`, such as `dropout@30s+20s` or `corruption@0s+1m:0.01`.
    ///
    /// Times are seconds, or numbers with a unit: `ms`, `s`, `m` or `h`. Without a duration the
    /// fault is permanent.
    package init(parsing argument: String) throws(ParsingError) {
        func failure(_ reason: String) -> ParsingError { ParsingError(argument: argument, reason: reason) }
        let halves = argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let kind = Kind(rawValue: String(halves[0])) else {
            throw failure("unknown fault \"\(halves[0])\"; use one of \(names)")
        }
        guard halves.count == 2 else {
            throw failure(
                "the start time is missing; write \(kind.rawValue)@30s+20s for a fault that begins after 30 s "
                    + "and lasts 20 s"
            )
        }

        let timesAndRate = halves[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let times = timesAndRate[0].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = Instant.Span(parsing: times[0]) else {
            throw failure("\"\(times[0])\" is not a time such as 30s, 500ms or 2m")
        }
        self.init(kind, start: start)
        if times.count == 2 {
            guard let span = Instant.Span(parsing: times[1]), span > .zero else {
                throw failure("\"\(times[1])\" is not a positive duration such as 20s, 500ms or 2m")
            }
            duration = span
        }
        guard timesAndRate.count == 2 else { return }
        guard kind == .corruption else { throw failure("only corruption accepts a rate after the colon") }
        guard let value = Double(timesAndRate[1]), (0...1).contains(value) else {
            throw failure("\"\(timesAndRate[1])\" is not a byte error rate between 0 and 1")
        }
        rate = value
    }
}

extension Instant.Span {
    /// Parses a duration in seconds or with its unit: `30`, `500ms`, `30s`, `1.5m`, `2h`. Returns
    /// nil if the text is not a duration, negative, or longer than a century.
    package init?(parsing text: some StringProtocol) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
        guard let (unit, seconds) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        guard let count = Double(text.dropLast(unit.count)), count >= 0, count * seconds < 3.2e9 else { return nil }
        self = .seconds(count * seconds)
    }
}
