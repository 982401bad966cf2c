import Chronology
import Positioning
import SextantAPI
import Varlink

@_exported import enum SextantAPI.DesiredAccuracy

/// The options of a stream beyond its configuration. Each option can reduce the update rate; none
/// can increase it.
public struct StreamOptions: Sendable, Equatable {
    /// The required accuracy.
    public var desiredAccuracy: DesiredAccuracy
    /// The minimum distance in metres between two updates, above 0; nil for no minimum.
    public var distanceFilter: Double?
    /// The minimum time between two updates; nil for that of the configuration.
    public var minimumInterval: Instant.Span?
    /// The maximum time for which updates may be held to be delivered together; nil to deliver each
    /// update immediately.
    public var maximumDelay: Instant.Span?
    /// The maximum distance in metres from each fix to the line between the published ones, at the
    /// time of the fix; nil to publish every fix that the other options admit.
    public var tolerance: Double?
    /// Whether the stream pauses while the device is stationary. This is the default, as in Core
    /// Location's live updates.
    public var pausesWhenStationary: Bool
    /// Whether the stream publishes only significant changes: at least 500 m and five minutes after
    /// the last one, by ``SignificantChangeFilter``.
    public var isSignificantChange: Bool
    /// Whether the stream receives updates that others requested and creates no demand itself.
    public var isPassive: Bool

    /// Creates options; the defaults restrict nothing.
    public init(
        desiredAccuracy: DesiredAccuracy = .best, distanceFilter: Double? = nil, minimumInterval: Instant.Span? = nil,
        maximumDelay: Instant.Span? = nil, pausesWhenStationary: Bool = true,
        isSignificantChange: Bool = false, isPassive: Bool = false, tolerance: Double? = nil
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.minimumInterval = minimumInterval
        self.maximumDelay = maximumDelay
        self.pausesWhenStationary = pausesWhenStationary
        self.isSignificantChange = isSignificantChange
        self.isPassive = isPassive
        self.tolerance = tolerance
    }

    /// Creates the options that the parameters of `Subscribe` state.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the name of the parameter that
    ///   is out of range.
    init(_ parameters: SubscribeParameters) throws(ServiceError) {
        try parameters.checkRanges()
        self.init(
            desiredAccuracy: parameters.desiredAccuracy ?? .best, distanceFilter: parameters.distanceFilter,
            minimumInterval: parameters.minimumInterval.map(Instant.Span.seconds),
            maximumDelay: parameters.maximumDelay.map(Instant.Span.seconds),
            pausesWhenStationary: parameters.pausesWhenStationary ?? true,
            isSignificantChange: parameters.significantChange ?? false, isPassive: parameters.passive ?? false,
            tolerance: parameters.tolerance)
    }

    /// Returns the minimum time between two updates of a stream with this configuration and these
    /// options.
    public func interval(for configuration: Configuration) -> Instant.Span {
        let requested = max(configuration.minimumInterval, desiredAccuracy.minimumInterval, minimumInterval ?? .zero)
        return isSignificantChange ? max(requested, SignificantChangeFilter.interval) : requested
    }
}

extension DesiredAccuracy {
    /// The minimum time between two updates.
    public var minimumInterval: Instant.Span {
        switch self {
        case .best, .unknown: .zero
        case .hundredMetres: .seconds(10)
        case .kilometre: .seconds(60)
        case .threeKilometres: .seconds(300)
        case .reduced: .seconds(900)
        }
    }
}

extension SubscribeParameters {
    /// Returns the request as a value of the core.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the name of the parameter that
    ///   is out of range.
    package func request() throws(ServiceError) -> StreamRequest {
        StreamRequest(
            configuration: configuration ?? .default, receiver: ReceiverSelection(receiver),
            options: try StreamOptions(self))
    }
}
