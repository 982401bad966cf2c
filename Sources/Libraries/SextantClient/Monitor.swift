import SextantAPI
import Varlink
import VarlinkClient

/// A named set of conditions of this program. The daemon evaluates them while no program is
/// connected, and keeps each event until it is acknowledged.
///
///     let monitor = Client().monitor("places")
///     try await monitor.add(Condition("home", .circle(center: home, radius: 150)))
///     for try await event in monitor.events {
///         print(event.identifier, event.kind)
///     }
public struct Monitor: Sendable {
    /// Name of the monitor.
    public let name: String
    /// The part of the program that owns the monitor; nil: the program as a whole.
    public let application: String?
    let client: Client

    /// The events, pending ones first. The next request acknowledges an event: one that was being
    /// handled when the program ended comes again. No event is dropped.
    ///
    /// Only one client can have a monitor open, from the first request until its iterator is
    /// released.
    public var events: MonitorEvents { MonitorEvents(monitor: self, latestOnly: false) }

    /// The events as ``events``, but of several pending events of a condition only the newest, with
    /// the number of the others in `Event.folded`. They are discarded.
    public var latestEvents: MonitorEvents { MonitorEvents(monitor: self, latestOnly: true) }

    /// The state of the monitor now, then each change of it and each condition whose limit flag has
    /// changed. The same process can request ``events`` at the same time.
    public var changes: Updates<MonitorChange> {
        let parameters = OpenParameters(name: name, deliver: false, application: application)
        return Updates(client.transport, MonitorMethods.open, parameters, delivery: .all) { reply in
            if let state = reply.monitor { return .monitor(state) }
            return reply.record.map { .condition($0) }
        }
    }

    /// Adds all of the conditions or none, and creates the monitor if necessary. A condition with
    /// an existing identifier replaces the old one, and its events, unless they are identical.
    ///
    /// - Throws: ``SextantError`` or `CancellationError`; so do the other methods.
    @discardableResult
    public func add(
        _ conditions: [Condition], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Addition {
        let parameters = AddParameters(name: name, conditions: conditions, application: application)
        return try await client.call(MonitorMethods.add, parameters)
    }

    /// Adds a condition, as ``add(_:isolation:)-([Condition],_)``.
    @discardableResult
    public func add(
        _ condition: Condition, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Addition {
        try await add([condition])
    }

    /// Removes conditions and their events. Returns the number of conditions that existed.
    @discardableResult
    public func remove(
        _ identifiers: [String], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Int {
        let parameters = RemoveParameters(name: name, identifiers: identifiers, application: application)
        return try await client.call(MonitorMethods.remove, parameters).removed
    }

    /// Returns all conditions with their states, sorted by identifier. The pages of a long list are
    /// requested one after another.
    public func records(isolation: isolated (any Actor)? = #isolation) async throws -> [ConditionRecord] {
        var parameters = PageParameters(name: name, application: application)
        var records: [ConditionRecord] = []
        repeat {
            let page = try await client.call(MonitorMethods.list, parameters)
            records += page.records
            parameters.after = page.next
        } while parameters.after != nil
        return records
    }

    /// Returns one condition with its state and events.
    ///
    /// - Throws: ``SextantError/noSuchCondition(_:)`` and others.
    public func record(
        for identifier: String, isolation: isolated (any Actor)? = #isolation
    ) async throws -> ConditionRecord {
        let parameters = GetRecordParameters(name: name, identifier: identifier, application: application)
        return try await client.call(MonitorMethods.getRecord, parameters).record
    }

    /// Acknowledges events, so that they do not come again. ``events`` does so by itself. Returns
    /// the number of events that were pending.
    @discardableResult
    public func acknowledge(
        _ events: [Int], isolation: isolated (any Actor)? = #isolation
    ) async throws -> Int {
        let parameters = AcknowledgeParameters(name: name, events: events, application: application)
        return try await client.call(MonitorMethods.acknowledge, parameters).acknowledged
    }

    /// Adds conditions from GeoJSON, as `sextant fence import`.
    @discardableResult
    public func add(
        geoJSON: JSONValue, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Addition {
        guard let members = geoJSON.object else { throw SextantError.invalidMessage("GeoJSON is an object") }
        let parameters = ImportParameters(name: name, geojson: members, application: application)
        return try await client.call(MonitorMethods.importConditions, parameters)
    }

    /// Returns all conditions as GeoJSON: one FeatureCollection for each page of the daemon.
    public func geoJSON(isolation: isolated (any Actor)? = #isolation) async throws -> [JSONValue] {
        var parameters = PageParameters(name: name, application: application)
        var pages: [JSONValue] = []
        repeat {
            let page = try await client.call(MonitorMethods.exportConditions, parameters)
            pages.append(.object(page.geojson))
            parameters.after = page.next
        } while parameters.after != nil
        return pages
    }

    /// Returns the monitored conditions with the boundaries nearest to the present position.
    ///
    /// - Parameter count: 1 to 100.
    public func nearest(
        _ count: Int = 10, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Neighbourhood {
        let parameters = NearestParameters(name: name, count: count, application: application)
        return try await client.call(MonitorMethods.nearest, parameters)
    }

    /// Deletes the monitor with all of its conditions and events. No client may have it open.
    public func delete(isolation: isolated (any Actor)? = #isolation) async throws {
        _ = try await client.call(MonitorMethods.delete, DeleteParameters(name: name, application: application))
    }
}

/// An element of ``Monitor/changes``.
public enum MonitorChange: Equatable, Sendable {
    /// The state of the monitor: at the start, and after a change of permission or storage.
    case monitor(MonitorState)
    /// A condition that is monitored again, or not any more, because of the limit of the program.
    case condition(ConditionRecord)
}

extension Client {
    /// Returns the monitors of all programs of this user, at most 1,000.
    public func monitors(isolation: isolated (any Actor)? = #isolation) async throws -> [MonitorState] {
        try await call(MonitorMethods.listMonitors, NoParameters()).monitors
    }
}
