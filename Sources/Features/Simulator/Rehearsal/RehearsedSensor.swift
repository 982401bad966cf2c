import Chronology
import Locator

/// A simulated motion source: its reports follow from the true positions of the device.
///
/// The core trusts it at the start, as after three departures that it reported, unless its reports
/// are random.
package struct RehearsedSensor: Sendable {
    /// How well the sensor works.
    package enum Behavior: String, Sendable, CaseIterable {
        /// It reports each departure, and movement every five seconds.
        case good
        /// It never reports.
        case deaf
        /// It reports every second.
        case nervous
        /// A train starts so gently that the sensor notices it only a minute later.
        case train
        /// Waves move it about every three minutes, also at rest.
        case boat
        /// Its reports come at random, frequent at times and rare at others, and have proven
        /// nothing.
        case random
    }

    static let name = "rehearsed"
    /// The time between two reports while the device moves.
    private static let interval = Instant.Span.seconds(5)
    /// Metres per second below which the device is at rest.
    private static let minSpeed = 0.3
    /// How long a train moves before the sensor notices it.
    private static let trainDelay = Instant.Span.seconds(60)
    /// A gap in the movement that is shorter than this is no stop.
    private static let minStop = Instant.Span.seconds(30)
    /// The mean time between two waves in seconds.
    private static let wavePeriod = 180.0

    /// The instants of all reports, the next one last.
    private var pending: [Instant]

    init(_ behavior: Behavior, along track: GroundTruthTrack, seed: UInt64) {
        var times: [Instant]
        switch behavior {
        case .good: times = Self.movement(along: track, after: .zero)
        case .deaf: times = []
        case .nervous: times = (1...max(1, Int(track.duration.seconds))).map { .zero + .seconds(Double($0)) }
        case .train: times = Self.movement(along: track, after: Self.trainDelay)
        case .boat: times = Self.movement(along: track, after: .zero) + Self.waves(until: track.duration, seed: seed)
        case .random: times = Self.random(until: track.duration, seed: seed)
        }
        times.sort(by: >)
        pending = times
    }

    /// The source as the core knows it at the start.
    static func source(_ behavior: Behavior) -> MotionSource {
        MotionSource(name: name, trust: behavior == .random ? .unproven : .trusted)
    }

    /// When the next report is due; nil after the last one.
    var deadline: Instant? { pending.last }

    mutating func report(at now: Instant) -> Bool {
        var isDue = false
        while let next = pending.last, next <= now {
            pending.removeLast()
            isDue = true
        }
        return isDue
    }

    /// Returns the instants of reports while the device moves, from this time after each start on.
    private static func movement(along track: GroundTruthTrack, after delay: Instant.Span) -> [Instant] {
        var times: [Instant] = []
        var (started, moved) = (Instant.zero, Instant.zero - minStop)
        for leg in track.legs where leg.length > minSpeed * max(leg.duration.seconds, 0.001) {
            let (begin, end) = (Instant.zero + leg.start, Instant.zero + leg.start + leg.duration)
            if begin - moved >= minStop { started = begin }
            moved = end
            var next = max(begin, started + delay, times.last.map { $0 + interval } ?? .zero)
            while next < end {
                times.append(next)
                next = next + interval
            }
        }
        return times
    }

    private static func waves(until end: Instant.Span, seed: UInt64) -> [Instant] {
        var random = RandomSource(seed: seed, purpose: 0x6D6F_7469_6F6E)
        var times: [Instant] = []
        var next = Instant.zero
        while next - .zero < end {
            // The mean of 0.1 ..< 1.9 is 1.
            next = next + .seconds(wavePeriod * (0.1 + 1.8 * random.uniform()))
            times.append(next)
        }
        return times
    }

    private static func random(until end: Instant.Span, seed: UInt64) -> [Instant] {
        var random = RandomSource(seed: seed, purpose: 0x7261_6E64)
        var times: [Instant] = []
        var next = Instant.zero
        while next - .zero < end {
            let gap = [1.0, 10, 60, 600, 3600][Int(random.uniform() * 5)]
            for _ in 0..<Int(1 + random.uniform() * 20) {
                next = next + .seconds(max(0.1, gap * 2 * random.uniform()))
                times.append(next)
            }
        }
        return times
    }
}
