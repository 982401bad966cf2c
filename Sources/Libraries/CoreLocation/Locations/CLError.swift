import Foundation

/// The domain of the errors of Core Location.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key of the region in the information of an error: the condition that is monitored instead.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// An error of Core Location.
///
///     do { ... } catch let error as CLError where error.code == .denied { ... }
///
/// Cast the `Error` that a method throws or a delegate gets. An `NSError` made by other code with
/// this domain is not a `CLError` on Linux: create it with `init(_nsError:)`.
public struct CLError: _BridgedStoredNSError {
    /// The reason of the failure.
    @nonexhaustive(warn)
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        /// The type of the error with this code.
        public typealias _ErrorType = CLError

        /// There is no position now.
        case locationUnknown = 0
        /// The program may not know the location.
        case denied = 1
        /// The service cannot be reached.
        case network = 2
        /// There is no heading.
        case headingFailure = 3
        /// The program may not monitor regions.
        case regionMonitoringDenied = 4
        /// A region cannot be monitored.
        case regionMonitoringFailure = 5
        /// Monitoring begins later.
        case regionMonitoringSetupDelayed = 6
        /// Events come late.
        case regionMonitoringResponseDelayed = 7
        /// There is no such place.
        case geocodeFoundNoResult = 8
        /// Only a part of the address is known.
        case geocodeFoundPartialResult = 9
        /// The geocoding request was cancelled.
        case geocodeCanceled = 10
        /// Updates cannot be deferred.
        case deferredFailed = 11
        /// Updates cannot be deferred, because there are none.
        case deferredNotUpdatingLocation = 12
        /// Updates cannot be deferred with this accuracy.
        case deferredAccuracyTooLow = 13
        /// Updates cannot be deferred with a distance filter.
        case deferredDistanceFiltered = 14
        /// Deferring was cancelled.
        case deferredCanceled = 15
        /// There is no hardware for ranging.
        case rangingUnavailable = 16
        /// Ranging failed.
        case rangingFailure = 17
        /// The user refused.
        case promptDeclined = 18
        /// Past locations cannot be read.
        case historicalLocationError = 19
    }

    /// The error as an `NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of ``errorDomain``.
    public init(_nsError error: NSError) {
        _nsError = error
    }

    /// ``kCLErrorDomain``.
    public static var _nsErrorDomain: String { kCLErrorDomain }
    /// ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// The region that is monitored instead; always nil on Linux.
    public var alternateRegion: CLRegion? {
        userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion
    }

    /// Creates an error with the text for ``errorUserInfo``.
    init(_ code: Code, because reason: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}

extension CLError {
    /// There is no position now.
    public static var locationUnknown: Code { .locationUnknown }
    /// The program may not know the location.
    public static var denied: Code { .denied }
    /// The service cannot be reached.
    public static var network: Code { .network }
    /// There is no heading.
    public static var headingFailure: Code { .headingFailure }
    /// The program may not monitor regions.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// A region cannot be monitored.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// Monitoring begins later.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// Events come late.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// There is no such place.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// Only a part of the address is known.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// The geocoding request was cancelled.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// Updates cannot be deferred.
    public static var deferredFailed: Code { .deferredFailed }
    /// Updates cannot be deferred, because there are none.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// Updates cannot be deferred with this accuracy.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// Updates cannot be deferred with a distance filter.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// Deferring was cancelled.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// There is no hardware for ranging.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// Ranging failed.
    public static var rangingFailure: Code { .rangingFailure }
    /// The user refused.
    public static var promptDeclined: Code { .promptDeclined }
    /// Past locations cannot be read.
    public static var historicalLocationError: Code { .historicalLocationError }
}
