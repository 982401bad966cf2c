import Chronology
import Positioning
import Wire

/// Makes measurements of the host's clock from locations.
///
/// The first locations only confirm the date: a receiver may start with the wrong one. Simulated
/// and reduced locations are never used.
package struct TimeSampler {
    /// The number of locations that must agree before the first measurement.
    private static let confirmations = 4
    /// By how many seconds they may differ. The end of a burst varies by less.
    private static let tolerance = 1.0

    private var agreeing = 0
    private var lastOffset: Double?

    /// Creates a sampler without locations.
    package init() {}

    /// Whether the date is confirmed.
    package var isConfirmed: Bool { agreeing >= TimeSampler.confirmations }

    /// Forgets the confirmation, after the receiver had no position.
    package mutating func reset() {
        agreeing = 0
        lastOffset = nil
    }

    /// Returns the measurement of a location, or nil if it is not used.
    ///
    /// - Parameters:
    ///   - age: The time since the end of the location's epoch, in seconds.
    ///   - seconds: The host's clock when the reply arrived, with `nanoseconds`.
    package mutating func sample(
        _ location: LocationMessage, age: Double, seconds: Int64, nanoseconds: Int64
    ) -> TimeSample? {
        guard location.simulated != true, location.quality != .simulated, location.quality != .estimated,
            location.accuracySource != .reduced, (0...10).contains(age),
            let time = location.timestamp.flatMap({ UTCTime(rfc3339: $0) })
        else {
            return nil
        }
        let host = UTCTime(milliseconds: 0).advanced(
            by: .seconds(Double(seconds)) + Instant.Span(nanoseconds: nanoseconds))
        let wholeOffset = time.span(since: host).seconds
        // The span has a resolution of 1 ms: the rest of the clock's milliseconds is added.
        let offset = wholeOffset - Double(nanoseconds % 1_000_000) / 1e9 + age
        let agrees = lastOffset.map { abs($0 - offset) <= TimeSampler.tolerance } ?? true
        agreeing = agrees ? min(agreeing + 1, TimeSampler.confirmations) : 1
        lastOffset = offset
        return isConfirmed ? TimeSample(seconds: seconds, nanoseconds: nanoseconds, offset: offset) : nil
    }
}
