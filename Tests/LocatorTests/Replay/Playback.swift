import Chronology
import Geofencing
import Locator
import Positioning
import SextantAPI
import TestSupport
import Varlink

/// Replays captures and returns their results.
enum Playback {
    /// Returns the fix of every epoch.
    static func fixes(_ bytes: [UInt8], start: UTCTime? = nil) -> [Fix] {
        var fixes: [Fix] = []
        var replay = Replay(bytes, options: Replay.Options(receiver: "test", start: start))
        replay.run { effect in if case .receiver(.epoch(_, let fix)) = effect { fixes.append(fix) } }
        return fixes
    }

    static func fixes(_ text: String, start: String? = nil) -> [Fix] {
        fixes(Array(text.utf8), start: start.flatMap(UTCTime.init(dayOrMoment:)))
    }

    /// Returns the lines that `sextant replay` prints.
    static func lines(_ bytes: [UInt8], receiver: String, updates configuration: Configuration? = nil) throws
        -> [String]
    {
        var options = Replay.Options(receiver: receiver)
        options.stream = configuration.map { StreamRequest(configuration: $0) }
        var effects: [Effect] = []
        var replay = Replay(bytes, options: options)
        replay.run { effects.append($0) }
        var lines: [String] = []
        for effect in effects {
            switch effect {
            case .receiver(.epoch(_, let fix)) where configuration == nil:
                lines.append(try json(EpochLine(fix, receiver: receiver)))
            case .request(.publish(let update, _)):
                lines.append(try json(SubscribeReply(sequence: lines.count + 1, dropped: 0, update)))
            default: break
            }
        }
        return lines
    }

    /// Returns the lines that `sextant replay --emit events` prints.
    static func events(_ bytes: [UInt8], receiver: String, fences: [FenceFeature]) throws -> [String] {
        var options = Replay.Options(receiver: receiver)
        options.conditions = fences.map(\.condition)
        var lines: [EventLine] = []
        var replay = Replay(bytes, options: options)
        replay.run { effect in
            guard case .fence(.changed(let events)) = effect else { return }
            lines += events.map {
                EventLine($0, identifier: fences[Int($0.condition.rawValue) - 1].identifier, receiver: receiver)
            }
        }
        return try lines.map(json)
    }

    /// Returns the lines that `sextant replay --emit visits` prints.
    static func visits(_ bytes: [UInt8]) throws -> [String] {
        var options = Replay.Options(receiver: "test")
        options.watchesVisits = true
        var replies: [VisitUpdate] = []
        var replay = Replay(bytes, options: options)
        replay.run { effect in if case .visit(let visit?, _) = effect { replies.append(VisitUpdate(visit)) } }
        return try replies.map(json)
    }

    /// Returns the lines that `sextant replay --emit headings` prints.
    static func headings(_ bytes: [UInt8], receiver: String) throws -> [String] {
        var options = Replay.Options(receiver: receiver)
        options.watchesHeading = true
        var replies: [HeadingUpdate] = []
        var replay = Replay(bytes, options: options)
        replay.run { effect in
            if case .heading(let update, _) = effect { replies.append(HeadingUpdate(update)) }
        }
        return try replies.map(json)
    }

    private static func json(_ message: some Message) throws -> String {
        String(decoding: JSONFormat.line(message), as: UTF8.self)
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONFormat.line(value), as: UTF8.self)
    }
}

/// Returns a GGA with a fix at a time of day.
func gga(_ time: String) -> String { line("GPGGA,\(time),4717.11399,N,00833.91590,E,1,08,1.0,499.6,M,48.0,M,,") }

/// Returns an RMC with a fix at a time of day and a date.
func rmc(_ time: String, date: String) -> String {
    line("GPRMC,\(time),A,4717.11399,N,00833.91590,E,0.0,,\(date),,,A")
}
