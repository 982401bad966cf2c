import Chronology
import Locator
import Positioning
import Varlink

/// The methods of `io.sextant.Location`.
package enum LocationMethods {
    /// Starts a stream of updates. Without `more`, the current update is the only reply.
    package static let subscribe = Method<SubscribeParameters, SubscribeReply>(
        "Subscribe", of: .location, reading: SubscribeReply.init(reading:))
    /// Returns one location.
    package static let getLocation = Method<GetLocationParameters, GetLocationReply>("GetLocation", of: .location)
    /// Starts a stream of visits. Without `more`, the current visit is the only reply.
    package static let watchVisits = Method<NoParameters, WatchVisitsReply>("WatchVisits", of: .location)
    /// Returns kept visits.
    package static let visits = Method<VisitsParameters, VisitsReply>("Visits", of: .location)
    /// Erases kept visits.
    package static let forgetVisits = Method<ForgetVisitsParameters, ForgetVisitsReply>("ForgetVisits", of: .location)
    /// Starts a stream of headings. Without `more`, the current heading is the only reply.
    package static let watchHeading = Method<WatchHeadingParameters, WatchHeadingReply>(
        "WatchHeading", of: .location, reading: WatchHeadingReply.init(reading:))
}

/// The parameters of `io.sextant.Location.GetLocation`.
package struct GetLocationParameters: Codable, Sendable, Equatable {
    /// The maximum age of the position in seconds. Absent: 1.
    package var maximumAge: Double?
    /// The time to wait for a position in seconds. Absent: 10.
    package var timeout: Double?
    /// The name or port of the only receiver to use. Absent: the primary receiver.
    package var receiver: String?
    /// Whether the reply needs ``GetLocationReply/burstAge``. Absent: no.
    package var timesBurst: Bool?

    /// Creates a location request.
    package init(
        maximumAge: Double? = nil, timeout: Double? = nil, receiver: String? = nil, timesBurst: Bool? = nil
    ) {
        self.maximumAge = maximumAge
        self.timeout = timeout
        self.receiver = receiver
        self.timesBurst = timesBurst
    }
}

/// The reply to `io.sextant.Location.GetLocation`.
package struct GetLocationReply: Codable, Sendable, Equatable {
    /// The position.
    package var location: LocationMessage
    /// The age of the position in seconds.
    package var age: Double
    /// UTC at which the device became stationary. Absent while it moves or while no stream needs to
    /// know.
    package var restingSince: String?
    /// The time in seconds since the first byte of the position's burst arrived. Absent if that was
    /// not observed.
    package var burstAge: Double?

    /// Creates a reply with a position, the time since the end of its epoch, the time at which the
    /// device became stationary, and the time since the position's burst began.
    package init(location: LocationMessage, age: Double, restingSince: UTCTime? = nil, burstAge: Double? = nil) {
        self.location = location
        self.age = WireRounding.thousandths(age)
        self.restingSince = restingSince?.description
        self.burstAge = WireRounding.millionths(burstAge)
    }
}

/// A reply to `io.sextant.Location.WatchVisits`.
package struct WatchVisitsReply: Codable, Sendable, Equatable {
    /// The visit that has begun or ended. Absent in a first reply without a current visit.
    package var visit: VisitMessage?
    /// Why the program gets no visits. Absent if it does.
    package var permissionDenied: String?

    /// Creates a reply with a visit, or without one.
    package init(_ visit: Visit?) { self.visit = visit.map(VisitMessage.init) }

    /// Creates a reply to a program that may not know the full location.
    package init(permissionDenied: String) { self.permissionDenied = permissionDenied }

    /// Creates a reply from the message of a visit, for clients.
    package init(_ visit: VisitMessage?) { self.visit = visit }
}

/// The parameters of the error `io.sextant.Location.LocationUnavailable`.
package struct LocationUnavailableError: Codable, Sendable, Equatable {
    /// The error's full name.
    package static let name = Interface.location.name(of: "LocationUnavailable")
    /// The cause of the missing position.
    package var cause: UnavailableCause
    /// The cause as text, with the port and how to fix the problem.
    package var detail: String

    /// Creates the error for a reason.
    package init(_ reason: Unavailability) {
        cause = reason.cause
        detail = reason.detail
    }

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        VarlinkError(
            name: LocationUnavailableError.name,
            parameters: ["cause": .string(cause.rawValue), "detail": .string(detail)])
    }
}

/// The parameters of the error `NoSuchReceiver` of `io.sextant.Location` and `io.sextant.Receiver`.
package struct NoSuchReceiverError: Codable, Sendable, Equatable {
    /// The requested name or port.
    package var receiver: String
    /// The names of the known receivers.
    package var known: [String]

    /// Creates the error for an unknown name or port.
    package init(receiver: String, known: [String]) {
        (self.receiver, self.known) = (receiver, known)
    }

    /// Returns the error's full name in `interface`.
    package static func name(in interface: Interface) -> String { interface.name(of: "NoSuchReceiver") }

    /// Returns the error in the form of a reply of `interface`.
    package func reply(in interface: Interface) -> VarlinkError {
        VarlinkError(
            name: NoSuchReceiverError.name(in: interface),
            parameters: ["receiver": .string(receiver), "known": .array(known.map { .string($0) })])
    }
}
