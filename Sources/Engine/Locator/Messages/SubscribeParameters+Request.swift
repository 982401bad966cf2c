import Chronology
import SextantAPI
import Varlink

extension SubscribeParameters {
    /// Returns the request as a value of the core.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the name of the parameter that
    ///   is out of range.
    package func request() throws(ServiceError) -> StreamRequest {
        let options = StreamOptions(
            desiredAccuracy: desiredAccuracy ?? .best,
            distanceFilter: try SubscribeParameters.validated(
                distanceFilter, in: SubscribeParameters.distanceFilterRange, name: "distanceFilter"),
            minimumInterval: try SubscribeParameters.validated(
                minimumInterval, in: SubscribeParameters.minimumIntervalRange, name: "minimumInterval"
            ).map(Instant.Span.seconds),
            maximumDelay: try SubscribeParameters.validated(
                maximumDelay, in: SubscribeParameters.maximumDelayRange, name: "maximumDelay"
            ).map(Instant.Span.seconds),
            pausesWhenStationary: pausesWhenStationary ?? true, isSignificantChange: significantChange ?? false,
            isPassive: passive ?? false,
            tolerance: try SubscribeParameters.validated(
                tolerance, in: SubscribeParameters.toleranceRange, name: "tolerance"))
        return StreamRequest(
            configuration: configuration ?? .default, receiver: ReceiverSelection(receiver), options: options)
    }

    /// Returns a number if it is within its range. NaN is outside every range.
    private static func validated(
        _ value: Double?, in range: ClosedRange<Double>, name: String
    ) throws(ServiceError) -> Double? {
        guard let value else { return nil }
        guard range.contains(value) else { throw .invalidParameter(parameter: name) }
        return value
    }
}
