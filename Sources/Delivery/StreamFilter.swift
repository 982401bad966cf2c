import Chronology
import Positioning

/// Decides which fixes one stream gets.
///
/// Rates are measured on the receiver's own time of fix, so that a burst that arrives late by a few milliseconds is not taken for a
/// faster one, and a replay at full speed gets just what a live client got.
public struct StreamFilter: Sendable {
    /// A fix this early is on time: receivers' clocks step by whole periods, but their stated times wander by milliseconds.
    private static let tolerance = Instant.Span.milliseconds(20)
    /// Two receivers' times of one moment differ by what they and their lines take to tell, a second or so; further apart, one of their
    /// clocks is wrong.
    private static let greatestLateness = Instant.Span.seconds(5)

    private let interval: Instant.Span
    private let pausesWhenStationary: Bool
    private var significant: SignificantChange?
    private var distance: DistanceFilter?
    private var pause = StationaryPause()
    private var lastTime: UTCTime?
    private var lastInstant: Instant?
    private var told: Unavailability?

    /// The filter of a stream with that configuration and those wishes; batches are made after it, by ``UpdateBatch``.
    public init(_ configuration: LiveConfiguration, _ options: StreamOptions = StreamOptions()) {
        interval = options.interval(configuration)
        distance = DistanceFilter(options.distanceFilter)
        pausesWhenStationary = options.pausesWhenStationary
        significant = options.isSignificantChange ? SignificantChange() : nil
    }

    /// Whether the stream is silent because the device rests.
    public var isPaused: Bool { pause.isPaused }

    /// What the stream does about what the motion detector told; nil where it does nothing. After a resumption the next fix is due.
    public mutating func take(_ action: MotionAction) -> StationaryPause.Turn? {
        guard pausesWhenStationary, let turn = pause.take(action) else { return nil }
        // Who wants to know of another place is told neither of resting nor of setting off.
        guard significant == nil else { return nil }
        (lastTime, lastInstant, told) = (nil, nil, nil)
        if distance != nil { distance = DistanceFilter(distance?.distance) }
        return turn
    }

    /// Whether the stream gets this fix.
    public mutating func admits(_ fix: Fix, at now: Instant) -> Bool {
        guard wouldAdmit(fix, at: now) else { return false }
        if told == nil, significant?.admits(fix, at: now) == false { return false }
        told = nil
        lastTime = fix.time
        lastInstant = now
        distance?.told(fix)
        return true
    }

    /// Whether the stream is told that there is no position: once for each cause, and again only when the words change.
    public mutating func admits(_ unavailability: Unavailability) -> Bool {
        guard told != unavailability, !pause.keeps(unavailability.cause) else { return false }
        told = unavailability
        return true
    }

    /// There is a position again. Whether a stream that is silent because the device rests was told of a fault since, and is now to be told
    /// that it is over; once.
    public mutating func endsFault() -> Bool {
        guard pause.isPaused, told != nil else { return false }
        told = nil
        return true
    }

    /// Whether ``admits(_:at:)`` would let this fix through.
    public func wouldAdmit(_ fix: Fix, at now: Instant) -> Bool {
        if pause.isPaused { return false }
        if told != nil { return true }
        return isDue(fix, now) && distance?.wouldAdmit(fix) ?? true
    }

    private func isDue(_ fix: Fix, _ now: Instant) -> Bool {
        guard let lastInstant else { return true }
        guard let time = fix.time, let lastTime else { return now - lastInstant + StreamFilter.tolerance >= interval }
        // A clock that was set back starts anew.
        let passed = time.since(lastTime)
        return passed < .zero || passed + StreamFilter.tolerance >= interval
    }

    /// Whether the stream knows of this moment or a later one already, so that another receiver's fix of it would turn its time back. A
    /// clock that is wrong by more is no reason to be silent until the right one has caught up.
    public func isPast(_ fix: Fix) -> Bool {
        guard let time = fix.time, let lastTime else { return false }
        let passed = time.since(lastTime)
        return passed <= .zero && passed > .zero - StreamFilter.greatestLateness
    }
}
