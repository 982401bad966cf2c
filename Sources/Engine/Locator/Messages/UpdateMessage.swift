import Chronology
import Permission
import Positioning
import SextantAPI
import Varlink

/// The part of a reply to `Subscribe` that all streams share. Each stream adds its own `sequence`
/// and `dropped` before it.
package struct UpdateMessage: Sendable, Equatable {
    /// The latest position. Absent when there is none to send.
    package var location: Location?
    /// The time since the end of the location's epoch in seconds; absent below ``minAge``.
    package var age: Double?
    /// True in the last update before the stream pauses because the device is stationary, false
    /// with the next position, otherwise absent.
    package var stationary: Bool?
    /// UTC at which the device became stationary. Present where ``stationary`` is true and a date
    /// is known.
    package var restingSince: UTCTime?
    /// True when there is no position now.
    package var locationUnavailable: Bool?
    /// The cause of the missing position.
    package var cause: Cause?
    /// Why there is no position or a reduced one, as text, and how to fix the problem.
    package var detail: String?
    /// Why the program may not know the location, or only a reduced one.
    package var permission = PermissionFlags()

    /// The age in seconds below which a location has none in its update.
    private static let minAge = 0.1

    /// Creates the message for a program that may not know the location.
    package init(denied flags: PermissionFlags, detail: String?) {
        permission = flags
        self.detail = detail
    }

    /// Creates the message for an update.
    package init(_ update: Update) {
        location = update.location.flatMap(Location.init)
        if let seconds = update.location?.age.seconds, seconds >= UpdateMessage.minAge {
            age = seconds
        }
        stationary = update.stationary ? true : update.hasDeparted ? false : nil
        restingSince = update.stationarySince
        guard let reason = update.unavailability else { return }
        locationUnavailable = true
        cause = reason.cause
        detail = reason.detail
    }
}

extension SubscribeReply {
    /// Creates the reply number `sequence` of a stream that has dropped `dropped` updates.
    package init(sequence: Int, dropped: Int, _ update: UpdateMessage) {
        self.init(
            sequence: sequence, dropped: dropped, location: update.location, age: update.age,
            stationary: update.stationary, restingSince: update.restingSince,
            locationUnavailable: update.locationUnavailable, cause: update.cause, detail: update.detail,
            permission: update.permission)
    }
}

/// Writes ``UpdateMessage``, which is sent for every epoch, without the general encoder.
///
/// A test checks that both encodings contain the same data. The measurements behind this are in
/// `docs/decisions/0001-foundation-stones.md`.
extension UpdateMessage {
    /// The message as JSON, with its members in the order of the interface file.
    package var encoded: EncodedObject {
        EncodedObject { object in
            object.append(location, forKey: "location")
            object.append(age, forKey: "age", decimals: 3)
            object.append(stationary, forKey: "stationary")
            object.append(restingSince, forKey: "restingSince")
            object.append(locationUnavailable, forKey: "locationUnavailable")
            object.append(cause?.rawValue, forKey: "cause")
            object.append(detail, forKey: "detail")
            permission.writeReasons(to: &object)
        }
    }
}

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
