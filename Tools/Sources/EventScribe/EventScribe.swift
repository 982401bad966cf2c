import CLinux
import Chronology
import Geodesy
import Geofencing
import Glibc
import Positioning
import SQLite
import StateStore

/// A helper program for `EventScribeTests`: writes events as fast as it can until it is killed, or
/// reports the memory of an open store.
///
///     EventScribe write FILE SEED  "n 17" after event 17 is written, "a 5" after 5 is acknowledged
///     EventScribe idle FILE        memory of the process before and after, in kB
@main struct EventScribe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { return write("EventScribe write FILE SEED | idle FILE") }
        switch arguments[1] {
        case "write": try write(to: arguments[2], seed: UInt64(arguments.last ?? "") ?? 1)
        default: try idle(arguments[2])
        }
    }

    private static func write(to path: String, seed: UInt64) throws {
        // No folding: it removes events, and a starved reader lets any number of them accumulate.
        let database = try DatabaseFile(path: path).open(at: SyntheticEvents.now).database
        let store = MonitorStore(database, maxPending: .max, maxPendingPerUser: .max)
        let monitor = try store.openMonitor(SyntheticEvents.monitor, of: SyntheticEvents.program)
        let ids = try store.add(SyntheticEvents.conditions, to: monitor).map(\.id)
        var last = try SyntheticEvents.lastSequence(of: monitor, in: store)
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ count: UInt64) -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state % count
        }
        while true {
            let batch = (1...(1 + Int64(random(3)))).map { SyntheticEvents.event(last + $0, ids: ids) }
            _ = try store.events.append(batch, recorded: SyntheticEvents.now)
            last += Int64(batch.count)
            write("n \(last)")
            guard random(3) > 0, let first = try store.events.deliverableEvents(of: monitor, limit: 1).first else {
                continue
            }
            _ = try store.events.acknowledge([first.sequence], of: monitor)
            write("a \(first.sequence)")
        }
    }

    private static func idle(_ path: String) throws {
        write("before \(memory())")
        let store = MonitorStore(try DatabaseFile(path: path).open(at: SyntheticEvents.now).database)
        write("open \(memory())")
        let monitor = try store.openMonitor(SyntheticEvents.monitor, of: SyntheticEvents.program)
        let ids = try store.add(SyntheticEvents.conditions, to: monitor).map(\.id)
        for number in 1...50 {
            _ = try store.events.append([SyntheticEvents.event(Int64(number), ids: ids)], recorded: SyntheticEvents.now)
            let waiting = try store.events.deliverableEvents(of: monitor, limit: 10)
            _ = try store.events.acknowledge(waiting.map(\.sequence), of: monitor)
        }
        write("used \(memory())")
        store.database.releaseMemory()
        write("rested \(memory())")
    }

    /// Returns the anonymous memory in kB, from /proc/self/status.
    ///
    /// `Private_Dirty` of smaps_rollup would also count pages of the program itself as long as the
    /// kernel has not written them to the disk, as after a build.
    private static func memory() -> String {
        // The daemon does so after it has opened its store, and at rest.
        linux_release_memory()
        guard let file = fopen("/proc/self/status", "r") else { return "unknown" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let arguments = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            if arguments.first == "RssAnon:", arguments.count > 1 { return String(arguments[1]) }
        }
        return "unknown"
    }

    private static func write(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// The events that the program writes; they are predictable, so a reader can detect invented ones.
enum SyntheticEvents {
    static let monitor = "home"
    static let program = "0:/usr/bin/scribe"
    static let now = UTCTime(milliseconds: 1_795_270_953_000)

    static let conditions = (0..<8).compactMap { number in
        Coordinate(latitude: Double(number), longitude: 9).map {
            NewCondition("place \(number)", FenceCondition(shape: .circle(center: $0, radius: 100)))
        }
    }

    /// Returns the event with that sequence number, 1 or more.
    static func event(_ sequence: Int64, ids: [ConditionID]) -> ConditionEvent {
        let count = Int64(ids.count)
        let enters = (sequence / count).isMultiple(of: 2)
        var fix = Fix(mode: .threeD, quality: .autonomous)
        fix.coordinate = Coordinate(latitude: Double(sequence % 80), longitude: 9.25)
        fix.horizontalAccuracy = 4.5
        return ConditionEvent(
            ids[Int(sequence % count)], kind: enters ? .entered : .left, state: enters ? .satisfied : .unsatisfied,
            date: UTCTime(milliseconds: 1_700_000_000_000 + sequence * 1000), location: fix, margin: Double(sequence))
    }

    static func lastSequence(of monitor: MonitorID, in store: MonitorStore) throws(StoreError) -> Int64 {
        let select = try store.database.prepare("SELECT sequence FROM monitor WHERE id = ?1", for: "reading")
        return try select.first(.integer(monitor.rawValue)) { $0.integer(0) } ?? 0
    }
}
