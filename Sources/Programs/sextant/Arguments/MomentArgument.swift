import ArgumentParser
import Chronology

/// A time on the command line: a date in local time, or a time in the format RFC 3339.
struct MomentArgument: ExpressibleByArgument, Equatable {
    /// The time; of a date, when it begins in the time zone of the user.
    let time: UTCTime
    /// The time as on the wire.
    var text: String { time.description }

    init?(argument: String) {
        guard let time = UTCTime(rfc3339: argument) else { return nil }
        self.time = argument.contains(":") ? time : LocalTime.start(of: time.date)
    }
}
