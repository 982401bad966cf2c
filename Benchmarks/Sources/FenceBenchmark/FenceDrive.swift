import Chronology
import Geodesy
import Geofencing
import Glibc
import Positioning

/// Measures a drive through conditions, fix by fix.
struct FenceDrive {
    private var engine = GeofenceEngine()
    private var now = Instant.zero
    private let fixes: [Fix]
    private static let period = Instant.Span.milliseconds(200)
    private static let speed = 25.0

    init(from start: Coordinate, minutes: Int) {
        let first = UTCTime(milliseconds: 1_795_219_200_000)
        fixes = (0..<minutes * 300).map { index in
            var fix = Fix(mode: .threeD, quality: .autonomous)
            // The drive is not parallel to an axis.
            fix.coordinate = start.moved(by: Double(index) * 5, bearing: 60 + Double(index) / 300)
            (fix.horizontalAccuracy, fix.speed) = (4, FenceDrive.speed)
            fix.time = first.advanced(by: .milliseconds(Int64(index) * 200))
            return fix
        }
    }

    /// Circles of 100 m at random positions in a square, with a fixed seed.
    static func batch(_ count: Int, around center: Coordinate, side: Double) -> [GeofenceEngine.Entry] {
        var state: UInt64 = 42
        func randomOffset() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53) - 0.5
        }
        let plane = LocalPlane(origin: center)
        return (0..<count).map { number in
            let place = plane.coordinate(
                at: LocalPlane.Offset(east: randomOffset() * side, north: randomOffset() * side))
            return GeofenceEngine.Entry(
                id: ConditionID(Int64(number + 1)),
                condition: FenceCondition(shape: .circle(center: place, radius: 100)))
        }
    }

    /// Nanoseconds of processor time to add a batch, which other processes do not affect.
    mutating func add(_ batch: [GeofenceEngine.Entry]) -> Int64 {
        let start = FenceDrive.clock(CLOCK_THREAD_CPUTIME_ID)
        engine.add(batch, at: now)
        return FenceDrive.clock(CLOCK_THREAD_CPUTIME_ID) - start
    }

    /// Processes the first fix and the turns until every condition is determined.
    ///
    /// Returns nanoseconds of processor time: of all turns, and of the slowest.
    mutating func determineAll() -> (total: Int64, slowest: Int64) {
        var events: [ConditionEvent] = []
        var (total, slowest): (Int64, Int64) = (0, 0)
        guard let fix = fixes.first else { return (0, 0) }
        repeat {
            events.removeAll(keepingCapacity: true)
            let start = FenceDrive.clock(CLOCK_THREAD_CPUTIME_ID)
            if total == 0 { engine.process(fix, at: now, into: &events) } else { engine.tick(at: now, into: &events) }
            let duration = max(FenceDrive.clock(CLOCK_THREAD_CPUTIME_ID) - start, 1)
            (total, slowest) = (total + duration, max(slowest, duration))
            now = engine.deadline ?? now
        } while engine.deadline != nil
        return (total, slowest)
    }

    mutating func run() -> (fixes: Int, events: Int, p50: Int64, p99: Int64, worst: Int64) {
        var events: [ConditionEvent] = []
        var durations: [Int64] = []
        durations.reserveCapacity(fixes.count)
        var eventCount = 0
        for fix in fixes {
            now = now + FenceDrive.period
            let start = FenceDrive.clock()
            engine.process(fix, at: now, into: &events)
            durations.append(FenceDrive.clock() - start)
            eventCount += events.count
            events.removeAll(keepingCapacity: true)
        }
        durations.sort()
        let count = durations.count
        return (count, eventCount, durations[count / 2], durations[count * 99 / 100], durations[count - 1])
    }

    static func clock(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Private dirty memory of this process in bytes.
    static func privateDirty() -> Int {
        guard let file = fopen("/proc/self/smaps_rollup", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            var kilobytes = 0
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Private_Dirty:") else { continue }
            for digit in text.utf8 where digit >= 48 && digit <= 57 { kilobytes = kilobytes * 10 + Int(digit - 48) }
            return kilobytes * 1024
        }
        return 0
    }
}
