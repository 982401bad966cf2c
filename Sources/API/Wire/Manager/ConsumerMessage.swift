import Chronology
import Locator
import Permission

/// The type `Consumer` of `io.sextant.Manager`.
package struct ConsumerMessage: Codable, Sendable, Equatable {
    /// The purpose of the request.
    package var purpose: PurposeName
    /// The name that the program gives itself.
    package var program: String?
    /// The program in text form.
    package var owner: String?
    /// The process ID.
    package var pid: Int?
    /// The user ID of the program.
    package var uid: Int
    /// The systemd unit of the program.
    package var unit: String?
    /// The only receiver that the request uses. Absent: the primary receiver.
    package var receiver: String?
    /// The required accuracy. Present only for streams.
    package var desiredAccuracy: DesiredAccuracy?
    /// The interval in seconds between the fixes that the request needs. Absent for a request
    /// without demand.
    package var interval: Double?
    /// The minimum distance between two updates in metres.
    package var distanceFilter: Double?
    /// Whether the stream contains only significant changes of position.
    package var significantChange = false
    /// Whether the stream receives only updates that other clients requested.
    package var passive = false
    /// The start time of the request: RFC 3339, UTC.
    package var since: String
    /// The age of the request in seconds.
    package var seconds: Double
    /// Whether a receiver is on for this request now.
    package var holds = false
    /// Whether the request gets no updates now because the device is stationary.
    package var silent = false

    /// Creates a consumer with a purpose.
    package init(_ purpose: PurposeName, uid: Int, since: String, seconds: Double) {
        self.purpose = purpose
        self.uid = uid
        self.since = since
        self.seconds = WireRounding.thousandths(seconds)
    }
}

/// The type `ReceiverActivity` of `io.sextant.Manager`.
package struct ReceiverActivityMessage: Codable, Sendable, Equatable {
    /// The name of the receiver.
    package var receiver: String
    /// The power state of the receiver.
    package var state: PowerStateName
    /// The time in this state in seconds.
    package var seconds: Double

    /// Creates the activity of a receiver.
    package init(receiver: String, state: PowerStateName, seconds: Double) {
        (self.receiver, self.state) = (receiver, state)
        self.seconds = WireRounding.thousandths(seconds)
    }
}

/// The type `DeclaredSession` of `io.sextant.Manager`.
package struct DeclaredSessionMessage: Codable, Sendable, Equatable {
    /// The program in text form.
    package var owner: String
    /// What the session needs.
    package var requirement: SessionRequirement
    /// The purpose for which it needs full accuracy.
    package var purpose: String?

    /// Creates the message for a session.
    package init(_ owner: ProgramID, requirement: SessionRequirement, purpose: String? = nil) {
        self.owner = owner.description
        self.requirement = requirement
        self.purpose = purpose
    }
}

/// The type `Lease` of `io.sextant.Manager`.
package struct LeaseMessage: Codable, Sendable, Equatable {
    /// The program in text form.
    package var owner: String
    /// UTC of its start by the host's clock.
    package var since: String

    /// Creates the message for a lease.
    package init(_ owner: ProgramID, since: UTCTime) {
        self.owner = owner.description
        self.since = since.description
    }
}
