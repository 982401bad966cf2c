import Chronology

/// Plays a capture with its recorded timing. It sends the recorded bytes unchanged.
package struct CapturePlayer: BurstSource {
    private let bytes: [UInt8]
    private let timeline: CaptureTimeline
    private let speed: Double
    private let loops: Bool
    private let origin: Instant
    private var nextPart = 0
    private var completedRounds = 0

    /// Creates a player that plays `bytes` from `origin` on.
    ///
    /// - Parameters:
    ///   - speed: Playback speed relative to the recording, 0.001 ... 1000.
    ///   - loops: Whether to restart at the end, one period after the last epoch.
    package init(_ bytes: [UInt8], speed: Double = 1, loops: Bool = false, origin: Instant = .zero) {
        self.bytes = bytes
        timeline = CaptureTimeline(bytes)
        self.speed = min(max(speed, 0.001), 1000)
        self.loops = loops
        self.origin = origin
    }

    /// When the next part is due; nil after the last part.
    package var deadline: Instant? {
        guard nextPart < timeline.parts.count else { return nil }
        let recorded = timeline.parts[nextPart].due.seconds + timeline.duration.seconds * Double(completedRounds)
        return origin + .seconds(recorded / speed)
    }

    /// Returns the part that is due.
    package mutating func burst() -> Burst {
        guard let due = deadline else { return Burst(instant: origin, bytes: []) }
        let range = timeline.parts[nextPart].range
        nextPart += 1
        if nextPart == timeline.parts.count, loops { (nextPart, completedRounds) = (0, completedRounds + 1) }
        return Burst(instant: due, bytes: Array(bytes[range]))
    }
}
