import Chronology
import Geodesy
import NMEA

/// Reads what a receiver sends to the daemon, as facts for the judges: what noise has changed
/// without a wrong checksum, and for how long there was no position.
struct LineReader {
    /// A time in which the daemon got no position of a receiver.
    struct Gap {
        let start: Instant
        let end: Instant

        /// Returns the depth in a circle if the device had moved straight during the gap; nil
        /// before and after it.
        func depth(at time: Instant, in circle: (centre: Coordinate, radius: Double), _ journey: Journey) -> Double? {
            guard time > start, time < end else { return nil }
            let (from, to) = (journey.place(at: start), journey.place(at: end))
            let fraction = (time - start).seconds / (end - start).seconds
            guard
                let place = Coordinate(
                    latitude: from.latitude + fraction * (to.latitude - from.latitude),
                    longitude: from.longitude + fraction * (to.longitude - from.longitude))
            else { return nil }
            return circle.radius - circle.centre.nearbyDistance(to: place)
        }
    }

    /// A gap is longer than the slowest receiver's period.
    private static let shortestGap = Instant.Span.seconds(5)
    private var sentences = SentenceStream()
    private var lastPosition: Instant?
    /// The time of day of the last fix, in milliseconds.
    private var lastTime: Int?
    /// When the last fix came, and how long after the one before.
    private var lastFix: (arrival: Instant, pause: Instant.Span)?

    /// Reads bytes of a device that the daemon can read now.
    mutating func read(_ bytes: [UInt8], of device: String, in world: World) {
        var found: [(position: Position, time: TimeOfDay?)] = []
        var hasNone = false
        var fixes: Set<Int> = []
        bytes.withUnsafeBytes { buffer in
            sentences.push(buffer.bytes) { _, sentence in
                if case .gga = sentence { world.epochs += 1 }
                switch sentence {
                case .gga(let it) where it.quality ?? 0 > 0: it.position.map { found.append(($0, it.time)) }
                case .rmc(let it) where it.isValid ?? true: it.position.map { found.append(($0, it.time)) }
                case .gll(let it) where it.isValid ?? true: it.position.map { found.append(($0, it.time)) }
                case .gns(let it): it.position.map { found.append(($0, it.time)) }
                case .gga: hasNone = true
                default: break
                }
            }
        }
        for case let time? in found.map(\.time) where time.milliseconds != lastTime {
            if fixes.insert(time.milliseconds).inserted { world.fixes += 1 }
            lastTime = time.milliseconds
        }
        if !fixes.isEmpty { noteLoss(of: device, in: world) }
        if hasNone { world.withoutView.insert(device) }
        guard !found.isEmpty else { return }
        world.withoutView.remove(device)
        if let lastPosition, world.now - lastPosition > LineReader.shortestGap {
            world.gaps.append(Gap(start: lastPosition, end: world.now))
        }
        lastPosition = world.now
        world.lastPositions[device] = world.now
        for (position, time) in found { noteDamage(of: position, at: time, in: world) }
    }

    /// A receiver without a fix for two of its periods, and the end of a burst, counts as lost.
    private mutating func noteLoss(of device: String, in world: World) {
        let pause = lastFix.map { world.now - $0.arrival } ?? .zero
        if let period = lastFix?.pause, pause > period + period + .milliseconds(100) {
            world.lossEnds[device] = world.now
        }
        lastFix = (world.now, pause)
    }

    /// The XOR of a sentence stays the same if the same bit of two bytes changes.
    private func noteDamage(of position: Position, at time: TimeOfDay?, in world: World) {
        if let place = Coordinate(latitude: position.latitude, longitude: position.longitude),
            place.nearbyDistance(to: world.journey.place(at: world.now)) > 300
        {
            world.damage.places.append(place)
        }
        let now = Journey.start.advanced(by: world.now - world.journey.origin)
        if let time, abs(time.milliseconds - now.millisecondsOfDay) > 5000 {
            world.damage.times.insert(time.milliseconds)
        }
    }
}

/// Values of sentences that noise has changed, and whose checksums are right.
struct Damage {
    var places: [Coordinate] = []
    /// Times of day in milliseconds.
    var times: Set<Int> = []
}

extension World {
    /// Returns whether a date is that of the first positions after a gap: a crossing whose place in
    /// the gap is not known has it.
    func isAfterGap(_ date: UTCTime) -> Bool {
        let time = journey.origin + corrected(date).span(since: Journey.start)
        return gaps.contains { abs((time - $0.end).seconds) < 5 }
    }

    /// Returns whether a device that moves straight in one of these gaps is on the boundary of a
    /// circle at a time, as the daemon supposes.
    func isOnBoundary(
        of circle: (centre: Coordinate, radius: Double), at date: UTCTime, movingStraight gaps: [LineReader.Gap]
    ) -> Bool {
        let time = journey.origin + corrected(date).span(since: Journey.start)
        return gaps.contains { gap in gap.depth(at: time, in: circle, journey).map { abs($0) < 100 } ?? false }
    }
}
