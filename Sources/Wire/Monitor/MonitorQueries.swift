public import Varlink

/// Parameters of `io.sextant.Monitor.Import`.
public struct ImportParameters: Codable, Sendable, Equatable {
    /// The monitor; made if it is new.
    public var name: String
    /// A Feature or a FeatureCollection.
    public var geojson: [String: JSONValue]
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// Conditions for a monitor.
    public init(name: String, geojson: [String: JSONValue], program: String? = nil) {
        (self.name, self.geojson, self.program) = (name, geojson, program)
    }
}

/// The reply to `io.sextant.Monitor.Export`.
public struct ExportReply: Codable, Sendable, Equatable {
    /// A FeatureCollection.
    public var geojson: [String: JSONValue]
    /// The `after` of the next call; absent: these were the last.
    public var next: String?

    /// A page.
    public init(geojson: [String: JSONValue], next: String? = nil) {
        (self.geojson, self.next) = (geojson, next)
    }
}

/// The reply to `io.sextant.Monitor.ListMonitors`.
public struct ListMonitorsReply: Codable, Sendable, Equatable {
    /// By program and name.
    public var monitors: [MonitorMessage]

    /// Monitors.
    public init(monitors: [MonitorMessage]) { self.monitors = monitors }
}

/// Parameters of `io.sextant.Monitor.Nearest`.
public struct NearestParameters: Codable, Sendable, Equatable {
    /// The monitor; absent: all of the program.
    public var name: String?
    /// How many at most; absent: 10.
    public var count: Int?
    /// Another program's, for the administrator; absent: the caller's.
    public var program: String?

    /// A question for neighbours.
    public init(name: String? = nil, count: Int? = nil, program: String? = nil) {
        (self.name, self.count, self.program) = (name, count, program)
    }
}

/// The reply to `io.sextant.Monitor.Nearest`.
public struct NearestReply: Codable, Sendable, Equatable {
    /// The position; absent: there is none.
    public var location: PlaceMessage?
    /// Nearest first.
    public var neighbours: [NeighbourMessage]

    /// What lies around a position.
    public init(location: PlaceMessage? = nil, neighbours: [NeighbourMessage] = []) {
        (self.location, self.neighbours) = (location, neighbours)
    }
}
