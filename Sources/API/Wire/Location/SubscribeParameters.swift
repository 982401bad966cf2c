import Chronology
import Locator
import Positioning
import Varlink

/// The parameters of `io.sextant.Location.Subscribe`.
package struct SubscribeParameters: Codable, Sendable, Equatable {
    /// The purpose of the stream. Absent: `default`.
    package var configuration: LiveConfiguration?
    /// The name or port of the only receiver to use. Absent: the primary receiver.
    package var receiver: String?
    /// The required accuracy. Absent: `best`.
    package var desiredAccuracy: DesiredAccuracy?
    /// The minimum distance between two updates in metres. Absent: none.
    package var distanceFilter: Double?
    /// The minimum interval between two updates in seconds. Absent: set by the configuration.
    package var minimumInterval: Double?
    /// The maximum time in seconds that the daemon may hold updates to send them together. Absent:
    /// none.
    package var maximumDelay: Double?
    /// Whether to send only significant changes of position. Absent: false.
    package var significantChange: Bool?
    /// Whether to receive only updates that other clients requested. Absent: false.
    package var passive: Bool?
    /// Whether the stream pauses while the device is stationary. Absent: true.
    package var pausesWhenStationary: Bool?
    /// The identifier of a part of the program. Absent: none.
    package var application: String?
    /// The maximum distance in metres of any position from the line between the sent ones. Absent:
    /// every position is sent.
    package var tolerance: Double?

    /// Creates a subscription request. The daemon chooses values that are nil.
    package init(
        configuration: LiveConfiguration? = nil, receiver: String? = nil, desiredAccuracy: DesiredAccuracy? = nil,
        distanceFilter: Double? = nil, minimumInterval: Double? = nil, maximumDelay: Double? = nil,
        significantChange: Bool? = nil,
        passive: Bool? = nil, pausesWhenStationary: Bool? = nil, application: String? = nil,
        tolerance: Double? = nil
    ) {
        self.configuration = configuration
        self.receiver = receiver
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.significantChange = significantChange
        self.passive = passive
        self.pausesWhenStationary = pausesWhenStationary
        self.application = application
        self.tolerance = tolerance
    }
}

extension SubscribeParameters {
    /// The allowed distance filters in metres, up to half the Earth's circumference.
    package static let distanceFilterRange = 0.0...20_100_000
    /// The allowed minimum intervals in seconds, up to one day.
    package static let minimumIntervalRange = 0.0...86_400
    /// The allowed tolerances of a simplified track in metres.
    package static let toleranceRange = 0.0...100_000
    /// The allowed maximum delays in seconds, up to one hour.
    package static let maximumDelayRange = 0.0...3_600

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
