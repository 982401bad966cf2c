import Chronology
import Permission
import Positioning
import SextantAPI
import Varlink

extension Heading {
    /// Creates the message for the heading of a receiver.
    package init(_ heading: HeadingSample, receiver: String) {
        self.init(
            timestamp: heading.time?.description, trueHeading: heading.trueHeading.map(Heading.rounded),
            magneticHeading: heading.magneticHeading.map(Heading.rounded),
            headingAccuracy: MessageRounding.thousandths(heading.accuracy), source: heading.source,
            variation: MessageRounding.thousandths(heading.variation), variationSource: heading.variationSource,
            simulated: heading.isSimulated ? true : nil, receiver: receiver)
    }

    /// Returns an angle rounded to thousandths, below 360 degrees.
    private static func rounded(_ degrees: Double) -> Double {
        let rounded = MessageRounding.thousandths(degrees)
        return rounded < 360 ? rounded : 0
    }
}

extension WatchHeadingParameters {
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

extension WatchHeadingReply {
    /// Creates the reply for an update.
    package init(_ update: HeadingUpdate) {
        self.init(
            heading: update.heading.map { Heading($0, receiver: update.receiver ?? "") }, cause: update.cause,
            detail: update.detail)
    }

    /// Creates the reply to a program that may not know the full location.
    package init(denied flags: PermissionFlags, detail: String?) { self.init(detail: detail, permission: flags) }

    /// The reply as JSON, with its members in the order of the interface file. It is sent for every
    /// epoch.
    package var encoded: EncodedObject { EncodedObject(inOrder: self) }
}
