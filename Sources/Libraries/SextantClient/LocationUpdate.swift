import SextantAPI

/// An element of `Client.locations`: a position, or why there is none.
public struct LocationUpdate: Hashable, Sendable {
    /// The latest position; nil if there is none to send.
    public var location: Location?
    /// Seconds from the end of the location's epoch to the reply; nil below 0.1.
    public var age: Double?
    /// True in the last update before the stream pauses because the device is stationary; the
    /// location is then the averaged resting position. False in the first one after that, otherwise
    /// nil.
    public var stationary: Bool?
    /// Since when the device is stationary; nil unless ``stationary`` is true and the date known.
    public var restingSince: UTCTime?
    /// Why there is no position now; nil if there is one, or if the program may not know it.
    public var unavailable: Cause?
    /// Why there is no position or a reduced one, and how to fix that.
    public var detail: String?
    /// Why the program may not know the location, or only a reduced one.
    public var permission: PermissionFlags
    /// The number of updates of this sequence so far that newer ones replaced before the program
    /// took them.
    public var dropped: Int

    /// - Parameter dropped: The dropped updates over all connections of the sequence.
    init(_ reply: SubscribeReply, dropped: Int) {
        location = reply.location
        age = reply.age
        stationary = reply.stationary
        restingSince = reply.restingSince
        unavailable = reply.locationUnavailable == true ? reply.cause ?? .unknown : nil
        detail = reply.detail
        permission = reply.permission
        self.dropped = dropped
    }
}
