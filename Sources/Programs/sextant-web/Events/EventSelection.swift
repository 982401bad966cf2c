import SextantAPI
import Varlink

/// What a viewer wants to see, from the query of its request.
struct EventSelection: Equatable {
    /// How fast positions come, which decides what the receivers must do.
    enum Pace: String, CaseIterable {
        /// Each second.
        case live
        /// Every five seconds.
        case saving
        /// Whatever other programs have requested; no receiver is on for this viewer.
        case watch
    }

    let streams: Set<EventStream>

    /// Reads the query; nil if it has an unknown pace or an unknown name.
    init?(_ query: [String: String]) {
        guard let pace = Pace(rawValue: query["pace"] ?? Pace.saving.rawValue) else { return nil }
        var streams: Set<EventStream> = query["location"] == "no" ? [] : [.location(pace)]
        for name in (query["include"] ?? "").split(separator: ",") {
            switch name {
            case "location": streams.insert(.location(pace))
            case "receivers": streams.insert(.receivers(interval: 5))
            case "satellites": streams.insert(.receivers(interval: 1))
            case "status": streams.insert(.status)
            case "monitors": streams.insert(.monitors)
            case "visits": streams.insert(.visits)
            case "heading": streams.insert(.heading)
            default: return nil
            }
        }
        // One stream of receivers is enough.
        if streams.contains(.receivers(interval: 1)) { streams.remove(.receivers(interval: 5)) }
        self.streams = streams
    }
}

/// A stream of the daemon that viewers share.
enum EventStream: Hashable {
    case location(EventSelection.Pace)
    case receivers(interval: Int)
    case status, monitors, visits, heading

    var name: String {
        switch self {
        case .location: "location"
        case .receivers: "receivers"
        case .status: "status"
        case .monitors: "monitors"
        case .visits: "visits"
        case .heading: "heading"
        }
    }

    /// The method of the daemon and its parameters.
    var call: (method: String, parameters: [String: JSONValue]) {
        switch self {
        case .location(.live): (LocationMethods.subscribe.name, ["configuration": "otherNavigation"])
        case .location(.saving): (LocationMethods.subscribe.name, ["configuration": "default"])
        case .location(.watch):
            (LocationMethods.subscribe.name, ["configuration": "otherNavigation", "passive": true])
        case .receivers(let interval):
            (ReceiverMethods.watch.name, ["minimumInterval": .int(Int64(interval))])
        case .status: (ManagerMethods.watch.name, ["minimumInterval": 2])
        case .monitors: (MonitorMethods.watch.name, [:])
        case .visits: (LocationMethods.watchVisits.name, [:])
        case .heading: (LocationMethods.watchHeading.name, ["passive": true])
        }
    }
}

/// The parameters of a reply as the daemon has written them, which are passed on unread.
struct PassedParameters: Message {
    /// One JSON object.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(_ members: inout MemberReader) { bytes = JSONValue.object(AnyMessage(&members).members).bytes }

    func write(to object: inout ObjectWriter) {
        AnyMessage(members: (try? JSONValue(parsing: bytes))?.object ?? [:]).write(to: &object)
    }

    static func method(_ name: String) -> Method<AnyMessage, PassedParameters> {
        Method(named: name) { reader in reader.remainder().map(PassedParameters.init) }
    }
}
