/// One entry of the outbox: a point or an event, with the number that identifies it for ever.
package struct FleetRecord: Sendable, Equatable {
    /// What is reported.
    package enum Content: Sendable, Equatable {
        /// A position.
        case point(FleetPoint)
        /// An event of a fence.
        case event(FleetEvent)
    }

    /// The number. It grows for the lifetime of the outbox, also across restarts; consumers
    /// recognise duplicates by it.
    package var sequence: Int64
    /// What is reported.
    package var content: Content

    /// Creates a record.
    package init(_ sequence: Int64, _ content: Content) { (self.sequence, self.content) = (sequence, content) }

    /// Whether the record is an event.
    package var isEvent: Bool { if case .event = content { true } else { false } }
}
