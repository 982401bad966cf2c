import Chronology

/// Plays a capture with its own timing. What is sent is what was recorded, byte for byte.
public struct CapturePlayer: BurstSource {
    private let bytes: [UInt8]
    private let timeline: CaptureTimeline
    private let speed: Double
    private let loops: Bool
    private let origin: Instant
    private var next = 0
    private var lap = 0

    /// Plays `bytes` from `origin` on.
    ///
    /// - Parameters:
    ///   - speed: How many times faster than recorded, 0.001 ... 1000.
    ///   - loops: Begins again at the end, one period after the last epoch.
    public init(_ bytes: [UInt8], speed: Double = 1, loops: Bool = false, origin: Instant = .zero) {
        self.bytes = bytes
        timeline = CaptureTimeline(bytes)
        self.speed = min(max(speed, 0.001), 1000)
        self.loops = loops
        self.origin = origin
    }

    /// When the next part is due; nil after the last.
    public var deadline: Instant? {
        guard next < timeline.cues.count else { return nil }
        let recorded = timeline.cues[next].due.seconds + timeline.duration.seconds * Double(lap)
        return origin + .seconds(recorded / speed)
    }

    /// The part that was due.
    public mutating func burst() -> Burst {
        guard let due = deadline else { return Burst(instant: origin, bytes: []) }
        let range = timeline.cues[next].range
        next += 1
        if next == timeline.cues.count, loops { (next, lap) = (0, lap + 1) }
        return Burst(instant: due, bytes: Array(bytes[range]))
    }
}
