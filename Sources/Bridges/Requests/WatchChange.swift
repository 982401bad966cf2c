import Varlink

/// The members of a `?WATCH=` request; nil for an absent one.
public struct WatchChange: Sendable, Equatable {
    /// See ``WatchPolicy``.
    public var enable, json, nmea, pps, scaled, split24, timing: Bool?
    /// See ``WatchPolicy/raw``.
    public var raw: Int?
    /// See ``WatchPolicy/device``.
    public var device: String?

    /// The maximum length of a path (GPS_PATH_MAX of gpsd.h).
    private static let maxPathLength = 128

    /// A member has a value of another type.
    struct InvalidMember: Error {
        let name: String
    }

    /// Reads the members. Unknown ones are ignored, as gpsd does.
    init(_ members: [String: JSONValue]) throws(InvalidMember) {
        enable = try WatchChange.flag("enable", in: members)
        json = try WatchChange.flag("json", in: members)
        nmea = try WatchChange.flag("nmea", in: members)
        pps = try WatchChange.flag("pps", in: members)
        scaled = try WatchChange.flag("scaled", in: members)
        split24 = try WatchChange.flag("split24", in: members)
        timing = try WatchChange.flag("timing", in: members)
        switch members["raw"] {
        case nil: raw = nil
        // QGIS sends true. gpsd reads the number, which is 0.
        case .bool?: raw = 0
        case let value?:
            guard let number = value.int else { throw InvalidMember(name: "raw") }
            raw = Int(min(max(number, 0), 2))
        }
        guard let value = members["device"] else { return }
        guard let path = value.string, path.utf8.count <= WatchChange.maxPathLength else {
            throw InvalidMember(name: "device")
        }
        device = path.isEmpty ? nil : path
    }

    private static func flag(_ name: String, in members: [String: JSONValue]) throws(InvalidMember) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.bool else { throw InvalidMember(name: name) }
        return flag
    }
}
