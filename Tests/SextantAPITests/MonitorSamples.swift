import Locator
import SextantAPI
import TestSupport
import Testing
import Varlink

/// Sample messages of `io.sextant.Monitor`, with all fields and with the fewest possible.
enum MonitorSamples {
    private static func points(_ degrees: [(Double, Double)]) -> [Point] {
        degrees.map { Point(latitude: $0.0, longitude: $0.1) }
    }

    static let circle: Condition = {
        var message = Condition(identifier: "home")
        message.circle = ConditionCircle(center: Point(latitude: 51.5, longitude: -0.1), radius: 150)
        return message
    }()

    static let polygon: Condition = {
        var message = Condition(identifier: "home")
        let ring = points([(0, 179), (0, -179), (1, -179), (1, 179)])
        message.polygon = ConditionPolygon(ring: ring, holes: [points([(0.4, 179.9), (0.4, -179.9), (0.6, 180)])])
        return message
    }()

    static let corridor: Condition = {
        var message = Condition(identifier: "home")
        message.corridor = ConditionCorridor(path: points([(51, 0), (52, 0.5)]), width: 30)
        return message
    }()

    /// A condition with every field, which no real condition has.
    static let everyShape: Condition = {
        var message = circle
        (message.polygon, message.corridor) = (polygon.polygon, corridor.corridor)
        (message.assuming, message.metadata) = (.unsatisfied, ["a": [1, "b"]])
        message.visits = true
        message.significantChange = ConditionSignificantChange(distance: 500, interval: 300)
        message.beacon = BeaconMessage(uuid: "F7826DA6-4FA4-4E98-8024-BC5B71E0893E", major: 1, minor: 65535)
        (message.dwell, message.expiry) = (60, "2027-01-01T00:00:00.000Z")
        return message
    }()

    static let minimalEvent = Event(
        id: 1, identifier: "home", kind: .expired, state: .unmonitored, recorded: "2026-11-21T12:00:00.000Z")

    static let fullEvent: Event = {
        var event = Event(
            id: 7, identifier: "home", kind: .left, state: .unsatisfied, recorded: "2026-11-21T12:00:00.000Z", folded: 2
        )
        event.date = "2026-11-21T11:59:40.500Z"
        event.location = EventPlace(Samples.fullFix, receiver: "ttyACM0")
        (event.margin, event.metadata) = (-22.5, ["colour": "red"])
        event.beacon = everyShape.beacon
        return event
    }()

    static let fullRecord: ConditionRecord = {
        var record = ConditionRecord(condition: circle, state: .satisfied)
        record.added = "2026-11-21T10:00:00.000Z"
        (record.since, record.evaluated) = ("2026-11-21T11:59:40.500Z", "2026-11-21T12:00:00.000Z")
        record.lastEvent = minimalEvent
        record.pending = fullEvent
        record.distance = -12.25
        record.permission = Samples.everyFlag
        record.conditionUnsupported = "there is no Bluetooth adapter"
        return record
    }()

    static let fullMonitor: MonitorState = {
        var monitor = MonitorState(name: "m", program: "1000:/usr/bin/navigator")
        monitor.isOpen = true
        monitor.process = 4711
        monitor.conditions = 25
        monitor.unmonitored = 5
        (monitor.pending, monitor.conditionLimit) = (2, 20)
        monitor.permission = Samples.everyFlag
        return monitor
    }()

    static let neighbour = Neighbour(monitor: "m", condition: circle, state: .unsatisfied, distance: -1234.568)

    static let errors: [MonitorError] = [
        .noSuchMonitor(name: "m"), .monitorInUse(name: "m", process: 12), .noSuchCondition(identifier: "home"),
        .invalidCondition(identifier: "home", reason: "as text"), .invalidName(name: "-", reason: "as text"),
        .tooManyConditions(ExceededLimit(1000, of: .program, reason: "remove some")),
        .tooManyMonitors(ExceededLimit(256, of: .user, reason: "remove some")),
        .tooMuchData(ExceededLimit(48 << 20, of: .user, reason: "remove some")),
        .invalidProgram(program: "+1000", reason: "a user ID"), .persistenceUnavailable(reason: "as text"),
    ]

    /// An invalid condition and the expected reason.
    struct InvalidSample: CustomTestStringConvertible, Sendable {
        let message: Condition
        let reason: String
        var testDescription: String { reason }

        init(_ reason: String, change: (inout Condition) -> Void) {
            var message = circle
            change(&message)
            (self.message, self.reason) = (message, reason)
        }
    }

    private static let outside = "latitudes are from -90 to 90 degrees, longitudes from -180 to 180"
    private static let oneShape =
        "it must have just one of circle, polygon, corridor, visits (true), significantChange and beacon"
    private static let invalidIdentifier = "the identifier must have 1 to 255 bytes and no control characters"
    private static let point = Point(latitude: 1, longitude: 2)

    static let invalidSamples: [InvalidSample] = [
        InvalidSample(invalidIdentifier) { $0.identifier = "" },
        InvalidSample(invalidIdentifier) { $0.identifier = "a\u{0}" },
        InvalidSample(invalidIdentifier) { $0.identifier = String(repeating: "x", count: 256) },
        InvalidSample(oneShape) { $0.circle = nil },
        InvalidSample(oneShape) { $0.corridor = ConditionCorridor(path: [point, point], width: 3) },
        InvalidSample("radius must be more than 0 and at most 1000000 metres") { $0.circle?.radius = 0 },
        InvalidSample("radius must be more than 0 and at most 1000000 metres") { $0.circle?.radius = 1e300 },
        InvalidSample(outside) { $0.circle?.center.latitude = 90.5 },
        InvalidSample(outside) { $0.circle?.center.longitude = .infinity },
        InvalidSample("assuming must be unknown, satisfied or unsatisfied") { $0.assuming = .unmonitored },
        InvalidSample("dwell must be more than 0 and at most 31536000 seconds") { $0.dwell = -1 },
        InvalidSample("dwell must be more than 0 and at most 31536000 seconds") { $0.dwell = 1e12 },
        InvalidSample("expiry must be a time such as 2026-11-21T12:00:00Z") { $0.expiry = "tomorrow" },
        InvalidSample("metadata may have 4096 bytes at most") {
            $0.metadata = ["a": .string(String(repeating: "x", count: 4096))]
        },
        InvalidSample("the line has 1 different point; it needs at least 3") {
            ($0.circle, $0.polygon) = (nil, ConditionPolygon(ring: [point, point]))
        },
        InvalidSample("hole 1 has 0 different points; it needs at least 3") {
            ($0.circle, $0.polygon) = (nil, ConditionPolygon(ring: points([(0, 0), (0, 1), (1, 1)]), holes: [[]]))
        },
        InvalidSample("a polygon may have 1000 points at most") {
            ($0.circle, $0.polygon) = (nil, ConditionPolygon(ring: Array(repeating: point, count: 1001)))
        },
        InvalidSample("the path of a corridor must have 2 to 1000 points") {
            ($0.circle, $0.corridor) = (nil, ConditionCorridor(path: [point], width: 3))
        },
        InvalidSample("width must be more than 0 and at most 1000000 metres") {
            ($0.circle, $0.corridor) = (nil, ConditionCorridor(path: [point, point], width: 0))
        },
    ]
}
