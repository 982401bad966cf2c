import Chronology
import Geofencing
import Locator
import SextantAPI
import TestSupport
import Testing
import Varlink

@Suite("Messages of io.sextant.Monitor against the interface")
struct MonitorMessageTests {
    @Test
    func `Condition of every shape matches and decodes`() throws {
        let interface = try Described.monitor()
        for sample in [MonitorSamples.circle, MonitorSamples.polygon, MonitorSamples.corridor] {
            let shape = try #require(try sample.condition().shape)
            #expect(Condition(identifier: "home", FenceCondition(shape: shape)) == sample)
            let condition = FenceCondition(
                shape: shape, assuming: .satisfied, dwell: .seconds(90.5),
                expiry: UTCTime(milliseconds: 1_795_000_000_250))
            let message = Condition(identifier: "home", condition, metadata: ["level": 3])
            try expectValid(message, in: interface, type: "Condition")
            #expect(try message.condition() == condition)
            let plain = Condition(identifier: "h", FenceCondition(shape: shape))
            try expectValid(plain, in: interface, type: "Condition")
            #expect(try plain.condition() == FenceCondition(shape: shape))
        }
        #expect(try members(MonitorSamples.everyShape).keys.sorted() == fieldNames(of: "Condition", interface))
    }

    @Test
    func `a closed ring loses its last point`() throws {
        var message = Condition(identifier: "ring")
        let corners = [(0.0, 0.0), (0, 1), (1, 1), (0, 0)].map { Point(latitude: $0.0, longitude: $0.1) }
        message.polygon = ConditionPolygon(ring: corners)
        guard case .polygon(let polygon)? = try message.condition().shape else {
            Issue.record("no polygon")
            return
        }
        #expect(polygon.ring.count == 3)
    }

    @Test(arguments: MonitorSamples.invalidSamples)
    func `an invalid condition is rejected with the reason`(sample: MonitorSamples.InvalidSample) throws {
        #expect(throws: MonitorError.invalidCondition(identifier: sample.message.identifier, reason: sample.reason)) {
            try sample.message.condition()
        }
    }

    @Test
    func `Event, Record, Monitor and Neighbour match`() throws {
        let interface = try Described.monitor()
        try expectAllFields(of: interface, type: "Event", in: MonitorSamples.fullEvent)
        try expectAllFields(of: interface, type: "Place", in: try #require(MonitorSamples.fullEvent.location))
        try expectValid(MonitorSamples.minimalEvent, in: interface, type: "Event")
        try expectAllFields(of: interface, type: "Record", in: MonitorSamples.fullRecord)
        try expectValid(
            ConditionRecord(condition: MonitorSamples.circle, state: .unknown), in: interface, type: "Record")
        try expectAllFields(of: interface, type: "Monitor", in: MonitorSamples.fullMonitor)
        try expectValid(MonitorState(name: "m", program: "1000"), in: interface, type: "Monitor")
        try expectAllFields(of: interface, type: "Neighbour", in: MonitorSamples.neighbour)
    }

    @Test
    func `parameters and replies of every method match`() throws {
        let page = PageParameters(name: "m", after: "a", limit: 5, program: "0", application: "a")
        let added = Addition(added: 1, replaced: 2, unmonitored: ["x"])
        let geojson: [String: JSONValue] = ["type": "FeatureCollection", "features": []]
        let list = ListReply(records: [MonitorSamples.fullRecord], next: "z")
        let nearest = Neighbourhood(location: MonitorSamples.fullEvent.location, neighbours: [MonitorSamples.neighbour])
        let opened = OpenReply(
            monitor: MonitorSamples.fullMonitor, event: MonitorSamples.fullEvent,
            record: MonitorSamples.fullRecord)
        try expectComplete(
            "Open",
            parameters: OpenParameters(name: "m", deliver: true, latestOnly: false, program: "0", application: "a"),
            reply: opened)
        try expectComplete(
            "Add",
            parameters: AddParameters(name: "m", conditions: [MonitorSamples.circle], program: "0", application: "a"),
            reply: added
        )
        try expectComplete(
            "Remove", parameters: RemoveParameters(name: "m", identifiers: ["a"], program: "0", application: "a"),
            reply: RemoveReply(removed: 1))
        try expectComplete("List", parameters: page, reply: list)
        try expectComplete(
            "GetRecord", parameters: GetRecordParameters(name: "m", identifier: "a", program: "0", application: "a"),
            reply: GetRecordReply(record: MonitorSamples.fullRecord))
        try expectComplete(
            "Acknowledge",
            parameters: AcknowledgeParameters(name: "m", events: [1, 2], program: "0", application: "a"),
            reply: AcknowledgeReply(acknowledged: 2))
        try expectComplete(
            "Import", parameters: ImportParameters(name: "m", geojson: geojson, program: "0", application: "a"),
            reply: added)
        try expectComplete("Export", parameters: page, reply: ExportReply(geojson: geojson, next: "z"))
        try expectComplete(
            "Nearest", parameters: NearestParameters(name: "m", count: 3, program: "0", application: "a"),
            reply: nearest)
        let validator = Validator(try Described.monitor())
        try validator.checkInput([:], of: "ListMonitors")
        try validator.checkOutput(
            members(ListMonitorsReply(monitors: [MonitorSamples.fullMonitor])), of: "ListMonitors")
        try validator.checkInput(members(DeleteParameters(name: "m", program: "0", application: "a")), of: "Delete")
        try validator.checkOutput([:], of: "Delete")
        try validator.checkInput(members(NearestParameters()), of: "Nearest")
        try validator.checkOutput(members(Neighbourhood(neighbours: [])), of: "Nearest")
        try validator.checkOutput(members(OpenReply(event: MonitorSamples.minimalEvent)), of: "Open")
    }

    @Test(arguments: MonitorSamples.errors)
    func `every error is encoded and decoded by name`(error: MonitorError) throws {
        let reply = error.reply
        let member = String(reply.name.split(separator: ".").last ?? "")
        #expect(reply.name == "io.sextant.Monitor.\(member)")
        try Validator(try Described.monitor()).checkParameters(reply.parameters, ofError: member)
        #expect(MonitorError(reply) == error)
    }

    @Test(arguments: ["home", "a", "9-b_c.d", String(repeating: "x", count: 128)])
    func `valid monitor names are accepted`(name: String) throws {
        try MonitorName.check(name)
    }

    @Test(arguments: ["", "-a", ".", "a b", "a/b", "ä", "a\n", String(repeating: "x", count: 129)])
    func `invalid monitor names are rejected`(name: String) {
        #expect(throws: MonitorError.self) { try MonitorName.check(name) }
    }

    /// Checks that parameters and reply have all declared fields and decode to themselves.
    private func expectComplete<Parameters: Message, Output: Message>(
        _ name: String, parameters: Parameters, reply: Output
    ) throws {
        let interface = try Described.monitor()
        let method = try #require(interface.method(name))
        #expect(try members(parameters).keys.sorted() == method.input.map(\.name).sorted(), "\(name)")
        #expect(try members(reply).keys.sorted() == method.output.map(\.name).sorted(), "\(name)")
        try Validator(interface).checkInput(members(parameters), of: name)
        try Validator(interface).checkOutput(members(reply), of: name)
        #expect(try roundTrip(parameters) == parameters)
        #expect(try roundTrip(reply) == reply)
    }

    private func fieldNames(of type: String, _ interface: InterfaceDescription) -> [String] {
        guard case .structure(let fields)? = interface.type(type) else { return [] }
        return fields.map(\.name).sorted()
    }
}
