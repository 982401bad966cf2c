import Chronology
import Locator
import Permission
import Positioning
import Varlink

/// The type `Heading` of `io.sextant.Location`.
package struct HeadingMessage: Codable, Sendable, Equatable {
    /// UTC of the heading. Absent until the receiver reports a position with a date.
    package var timestamp: String?
    /// Degrees clockwise from true north, 0 to 360. Absent if only the magnetic heading is known.
    package var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0 to 360. Absent if only the true heading is known.
    package var magneticHeading: Double?
    /// The accuracy of the reported direction in degrees, 68 %. Absent if the source reports none.
    package var headingAccuracy: Double?
    /// The source of the heading.
    package var source: HeadingSource
    /// Degrees from true north to magnetic north, east positive. Absent if unknown.
    package var variation: Double?
    /// The source of ``variation``. Present if it is.
    package var variationSource: VariationSource?
    /// True if the receiver is simulated. Absent otherwise.
    package var simulated: Bool?
    /// The name of the receiver.
    package var receiver: String

    /// Creates the message for the heading of a receiver.
    package init(_ heading: Heading, receiver: String) {
        timestamp = heading.time?.description
        trueHeading = heading.trueHeading.map(HeadingMessage.rounded)
        magneticHeading = heading.magneticHeading.map(HeadingMessage.rounded)
        headingAccuracy = heading.accuracy.map(WireRounding.thousandths)
        source = heading.source
        variation = heading.variation.map(WireRounding.thousandths)
        variationSource = heading.variationSource
        simulated = heading.isSimulated ? true : nil
        self.receiver = receiver
    }

    /// Returns an angle rounded to thousandths, below 360 degrees.
    private static func rounded(_ degrees: Double) -> Double {
        let rounded = WireRounding.thousandths(degrees)
        return rounded < 360 ? rounded : 0
    }
}

/// The parameters of `io.sextant.Location.WatchHeading`.
package struct WatchHeadingParameters: Codable, Sendable, Equatable {
    /// The minimum change in degrees since the last reply. Absent: none.
    package var headingFilter: Double?
    /// Whether the request makes no demand on receivers. Absent: false.
    package var passive: Bool?

    /// Creates a request.
    package init(headingFilter: Double? = nil, passive: Bool? = nil) {
        self.headingFilter = headingFilter
        self.passive = passive
    }

    /// The allowed filters in degrees.
    package static let headingFilterRange = 0.0...180

    /// Returns the request as a value of the core.
    ///
    /// - Throws: ``ServiceError/invalidParameter(parameter:)`` with the name of the parameter that
    ///   is out of range.
    package func request() throws(ServiceError) -> HeadingRequest {
        let filter = headingFilter ?? 0
        guard WatchHeadingParameters.headingFilterRange.contains(filter) else {
            throw .invalidParameter(parameter: "headingFilter")
        }
        return HeadingRequest(filter: filter, isPassive: passive ?? false)
    }
}

/// A reply to `io.sextant.Location.WatchHeading`.
package struct WatchHeadingReply: Codable, Sendable, Equatable, PermissionFlagsMessage {
    /// The heading. Absent if there is none.
    package var heading: HeadingMessage?
    /// The cause of a missing position, if that is why there is no heading.
    package var cause: UnavailableCause?
    /// Why there is no heading, as text.
    package var detail: String?
    /// See ``PermissionFlags/authorizationDenied``.
    package var authorizationDenied: Bool?
    /// See ``PermissionFlags/authorizationDeniedGlobally``.
    package var authorizationDeniedGlobally: Bool?
    /// See ``PermissionFlags/authorizationRestricted``.
    package var authorizationRestricted: Bool?
    /// See ``PermissionFlags/authorizationRequestInProgress``.
    package var authorizationRequestInProgress: Bool?
    /// See ``PermissionFlags/insufficientlyInUse``.
    package var insufficientlyInUse: Bool?
    /// See ``PermissionFlags/accuracyLimited``.
    package var accuracyLimited: Bool?
    /// See ``PermissionFlags/serviceSessionRequired``.
    package var serviceSessionRequired: Bool?

    /// Creates the reply for an update.
    package init(_ update: HeadingUpdate) {
        heading = update.heading.map { HeadingMessage($0, receiver: update.receiver ?? "") }
        cause = update.cause
        detail = update.detail
    }

    /// Creates the reply to a program that may not know the full location.
    package init(denied flags: PermissionFlags, detail: String?) {
        self.detail = detail
        permission = flags
    }
}

/// Writes the reply, which is sent for every epoch, without the general encoder.
extension WatchHeadingReply {
    /// The reply as JSON, with its members in the order of the interface file.
    package var text: EncodedObject {
        EncodedObject { object in
            if let heading { object.appendObject(forKey: "heading") { heading.write(to: &$0) } }
            object.append(cause?.rawValue, forKey: "cause")
            object.append(detail, forKey: "detail")
            writePermission(to: &object)
        }
    }
}

extension HeadingMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(timestamp, forKey: "timestamp")
        object.append(trueHeading, forKey: "trueHeading", decimals: 3)
        object.append(magneticHeading, forKey: "magneticHeading", decimals: 3)
        object.append(headingAccuracy, forKey: "headingAccuracy", decimals: 3)
        object.append(source.rawValue, forKey: "source")
        object.append(variation, forKey: "variation", decimals: 3)
        object.append(variationSource?.rawValue, forKey: "variationSource")
        object.append(simulated, forKey: "simulated")
        object.append(receiver, forKey: "receiver")
    }
}
