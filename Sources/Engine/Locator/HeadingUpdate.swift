import Positioning

/// One message about the heading to its clients.
public struct HeadingUpdate: Sendable, Equatable {
    /// The heading; nil if there is none.
    public var heading: HeadingSample?
    /// The name of the receiver that reports the heading; nil without one.
    public var receiver: String?
    /// Why there is no heading, as a code; nil if there is one, and if receivers work but report
    /// none.
    public var cause: UnavailableCause?
    /// Why there is no heading, as text; nil if there is one.
    public var detail: String?

    /// Creates an update with a heading.
    public init(_ heading: HeadingSample, receiver: String) {
        self.heading = heading
        self.receiver = receiver
    }

    /// Creates an update without a heading.
    ///
    /// - Parameter unavailability: Why the receivers give no position; nil if they do.
    public init(unavailability: Unavailability?) {
        cause = unavailability?.cause
        detail =
            unavailability?.detail
            ?? "no receiver reports a heading, and the device moves too slowly for a course"
    }
}

/// A request for the heading.
public struct HeadingRequest: Sendable, Equatable {
    /// The minimum change in degrees since the last update, 0 ... 180.
    public var filter: Double
    /// Whether the request makes no demand on receivers.
    public var isPassive: Bool

    /// Creates a request.
    public init(filter: Double = 0, isPassive: Bool = false) {
        self.filter = filter
        self.isPassive = isPassive
    }
}
