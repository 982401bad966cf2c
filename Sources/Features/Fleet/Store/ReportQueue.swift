import Chronology
import SQLite

/// The positions and events for one server, within its limits, in an outbox.
package final class ReportQueue {
    /// The records that the server has not acknowledged.
    package let outbox: FleetOutbox
    private var filter: ReportFilter
    private var stationary: StationaryFilter
    private let minute: (UTCTime) -> Int
    /// The newest position, which a server may request again.
    private var last: FleetRecord?

    /// Creates a queue, and deletes what the server may not get any more.
    ///
    /// - Parameters:
    ///   - tolerance: The maximum error of the track in metres.
    ///   - minute: Returns the minute of the day by local time.
    package init(
        _ outbox: FleetOutbox, filter: ReportFilter, tolerance: Double, minute: @escaping (UTCTime) -> Int
    ) throws(StoreError) {
        self.outbox = outbox
        self.filter = filter
        self.minute = minute
        stationary = StationaryFilter(tolerance: tolerance)
        try outbox.apply(filter, minute: minute)
        // Crossings of fences are exact places.
        if filter.isReduced { try outbox.entered.removeAll() }
    }

    /// Whether the server gets reduced locations.
    package var isReduced: Bool { filter.isReduced }

    /// The fences that the device has entered for the server.
    package var enteredFences: [FenceName] { outbox.entered.names }

    /// Returns whether the place of a fence is reported.
    package func isReported(_ waypoint: Waypoint) -> Bool { filter.isReported(waypoint) }

    /// Adds an event, as far as the server gets it. When this returns, it is on disk.
    ///
    /// - Parameter isFirst: Whether it states where the device is at first. Outside a fence that it
    ///   has not entered, a device has not left it.
    package func add(_ event: FleetEvent, isFirst: Bool) throws(StoreError) {
        if isFirst, event.kind == .leave, !outbox.entered.contains(event) { return }
        guard filter.isReported(event, minute: minute(event.time)) else { return try outbox.entered.withhold(event) }
        try enqueue(event)
    }

    /// The daemon repeats an event that was interrupted by a kill, so each step can be repeated.
    private func enqueue(_ event: FleetEvent) throws(StoreError) {
        if event.kind == .enter { try outbox.entered.add(event) }
        try outbox.add(event, key: event.key)
        if event.kind == .leave { try outbox.entered.remove(event) }
    }

    /// Returns the position as the server gets it; nil if it gets none.
    ///
    /// - Parameter isReduced: Whether the daemon has reduced it.
    package func reported(_ point: FleetPoint, isReduced: Bool, at now: Instant) -> FleetPoint? {
        filter.reported(point, isReduced: isReduced, minute: minute(point.time), at: now)
    }

    /// Adds the exits that limits have withheld, as if they happened at a position that the server
    /// gets.
    package func addWithheldExits(at point: FleetPoint) throws(StoreError) {
        for exit in try outbox.entered.withheldExits(at: point) { try enqueue(exit) }
    }

    /// Adds a position that the server gets.
    package func add(_ point: FleetPoint, at now: Instant) throws(StoreError) {
        for point in stationary.add(point) { try store(point, at: now) }
    }

    /// Returns whether nothing is reported now.
    ///
    /// - Parameter time: UTC of the host.
    package func isQuiet(at time: UTCTime) -> Bool { filter.isQuiet(in: minute(time)) }

    /// Adds the present position for a server that requests it.
    ///
    /// - Returns: The record; the last one if it is of the same second; nil if the server does not
    ///   get this position.
    package func addRequested(_ point: FleetPoint, at now: Instant) throws(StoreError) -> FleetRecord? {
        guard !isReduced, let point = reported(point, isReduced: false, at: now) else { return nil }
        if let held = stationary.takeHeld() { try store(held, at: now) }
        if let sequence = try outbox.addRequested(point, at: now) { last = FleetRecord(sequence, .point(point)) }
        return last
    }

    /// Returns the newest position for a server that requests it and gets reduced locations; nil
    /// before the first.
    package func newestPosition(at now: Instant) throws(StoreError) -> FleetRecord? {
        if let held = stationary.takeHeld() { try store(held, at: now) }
        return last
    }

    private func store(_ point: FleetPoint, at now: Instant) throws(StoreError) {
        if let sequence = try outbox.add(point, at: now) { last = FleetRecord(sequence, .point(point)) }
    }
}
