import Chronology
import Delivery
import Locator
public import Varlink

extension SubscribeParameters {
    /// Metres that a distance filter may ask for: half the way round the Earth.
    public static let distances = 0.0...20_100_000
    /// Seconds that may lie between two updates: a day.
    public static let intervals = 0.0...86_400
    /// Seconds for which updates may be held: an hour.
    public static let delays = 0.0...3_600

    /// What it asks of the core.
    ///
    /// Throws ``ServiceError/invalidParameter(parameter:)`` with the name of what is out of its range.
    public func request() throws(ServiceError) -> StreamRequest {
        let wish = StreamOptions(
            desiredAccuracy: desiredAccuracy ?? .best,
            distanceFilter: try SubscribeParameters.check(distanceFilter, SubscribeParameters.distances, "distanceFilter"),
            minimumInterval: try SubscribeParameters.check(minimumInterval, SubscribeParameters.intervals, "minimumInterval")
                .map(Instant.Span.seconds),
            maximumDelay: try SubscribeParameters.check(maximumDelay, SubscribeParameters.delays, "maximumDelay").map(Instant.Span.seconds),
            pausesWhenStationary: pausesWhenStationary ?? true, isSignificantChange: significantChange ?? false,
            isPassive: passive ?? false)
        return StreamRequest(configuration: configuration ?? .default, receiver: receiver, options: wish)
    }

    /// A number in its range; what is not finite is in none.
    private static func check(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) throws(ServiceError) -> Double? {
        guard let value else { return nil }
        guard range.contains(value) else { throw .invalidParameter(parameter: name) }
        return value
    }
}
