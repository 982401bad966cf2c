import Chronology
import SextantAPI
import TestSupport
import Testing

@testable import SextantClient
@testable import Varlink

/// Fails when a method, field or enumerator is added to an interface and this library does not know
/// it.
@Suite struct InterfaceCoverageTests {
    /// What the library leaves out, with the reason.
    private static let omittedInterfaces: [Interface: String] = [
        .agent: "an agent is a program of the desktop; it uses Varlink itself"
    ]
    private static let omittedMethods = Dictionary(
        uniqueKeysWithValues: ["Set", "Remove", "List", "Explain", "SetEnabled", "Forget"].map {
            ("io.sextant.Permission.\($0)", "decisions are made with the command line, by an administrator")
        } + [
            ("io.sextant.Receiver.Feed", "programs that provide receivers use Varlink themselves, or the bridge"),
            ("io.sextant.Receiver.WriteCorrections", "corrections are written by the bridge"),
            ("io.sextant.Location.Visits", "the history of visits is for its user: sextant visits"),
            ("io.sextant.Location.ForgetVisits", "the history of visits is for its user: sextant visits --forget"),
            ("io.sextant.Session.ActFor", "only sextant-places may act for its clients"),
            ("io.sextant.Receiver.Sentences", "the sentences of a receiver are for tools: sextant tail"),
        ])
    /// Types of these methods alone.
    private static let omittedTypes = Set(["Choice", "Grant", "Rule", "Switch"].map { "io.sextant.Permission.\($0)" })
    /// Parameters by name.
    private static let omittedParameters: [String: String] = [
        "Location.timesBurst": "clocks are compared by the bridge and by sextant time",
        "Receiver.minimumInterval": "a change of a receiver is an element of a sequence; a program may skip some",
        "Monitor.program": "monitors of other programs are managed with the command line",
        "Monitor.limit": "the size of a page is the daemon's",
        "Permission.limit": "the size of a page is the daemon's",
    ]

    /// A method as the library knows it.
    private struct Known {
        let reply: any Decodable.Type
        let parameters: any Encodable

        init(_ reply: any Decodable.Type, _ parameters: any Encodable = NoParameters()) {
            (self.reply, self.parameters) = (reply, parameters)
        }
    }

    private static func monitor(_ change: (inout SextantClient.MonitorParameters) -> Void)
        -> SextantClient.MonitorParameters
    {
        var parameters = SextantClient.MonitorParameters(
            SextantClient.Client(socket: "/none").monitor("places", application: "org.example.Boat"))
        change(&parameters)
        return parameters
    }

    private static let condition = Condition(
        "home", .circle(center: Point(latitude: 1, longitude: 2), radius: 3), assuming: .satisfied, dwell: .seconds(1),
        expiry: UTCTime(milliseconds: 0), metadata: [:])

    private static var known: [String: Known] {
        [
            "io.sextant.Location.Subscribe": Known(
                LocationUpdate.self,
                SextantClient.SubscribeParameters(
                    configuration: .default, receiver: "a", desiredAccuracy: .best, distanceFilter: 1,
                    minimumInterval: 1,
                    maximumDelay: 1, significantChange: true, passive: true, pausesWhenStationary: true,
                    application: "org.example.Boat", tolerance: 25)),
            "io.sextant.Location.GetLocation": Known(
                RecentLocation.self, SextantClient.GetLocationParameters(maximumAge: 1, timeout: 1, receiver: "a")),
            "io.sextant.Location.WatchHeading": Known(
                HeadingUpdate.self, SextantClient.HeadingParameters(headingFilter: 1, passive: true)),
            "io.sextant.Location.WatchVisits": Known(VisitUpdate.self),
            "io.sextant.Receiver.List": Known(Receivers.self),
            "io.sextant.Receiver.Watch": Known(Receivers.self, ["receiver": "a"]),
            "io.sextant.Manager.GetStatus": Known(StatusReply.self),
            "io.sextant.Manager.GetPower": Known(Power.self, PowerParameters(days: 1, receiver: "a")),
            "io.sextant.Manager.GetConsumers": Known(Consumers.self),
            "io.sextant.Monitor.Open": Known(OpenReply.self, monitor { ($0.deliver, $0.latestOnly) = (false, true) }),
            "io.sextant.Monitor.Add": Known(Monitor.Addition.self, monitor { $0.conditions = [condition] }),
            "io.sextant.Monitor.Remove": Known(RemoveReply.self, monitor { $0.identifiers = ["home"] }),
            "io.sextant.Monitor.List": Known(ConditionPage.self, monitor { $0.after = "home" }),
            "io.sextant.Monitor.GetRecord": Known(RecordReply.self, monitor { $0.identifier = "home" }),
            "io.sextant.Monitor.Acknowledge": Known(AcknowledgeReply.self, monitor { $0.events = [1] }),
            "io.sextant.Monitor.Import": Known(Monitor.Addition.self, monitor { $0.geojson = [:] }),
            "io.sextant.Monitor.Export": Known(ExportReply.self, monitor { $0.after = "home" }),
            "io.sextant.Monitor.ListMonitors": Known(MonitorList.self),
            "io.sextant.Monitor.Delete": Known(EmptyReply.self, monitor { _ in }),
            "io.sextant.Monitor.Nearest": Known(Monitor.Neighbourhood.self, monitor { $0.count = 1 }),
            "io.sextant.Session.Declare": Known(
                DiagnosticsReply.self, DeclareParameters(requirement: .always, purpose: "a", usageDescription: "b")),
            "io.sextant.Session.KeepActive": Known(LeaseReply.self),
            "io.sextant.Session.GetAuthorization": Known(PermissionReply.self),
            "io.sextant.Session.WatchAuthorization": Known(PermissionReply.self),
            "io.sextant.Permission.GetUsage": Known(UsagePage.self, UsageParameters(program: "a", after: "b")),
        ]
    }

    private static func values<E: OpenEnumeration>(_: E.Type) -> Set<String> { Set(E.allCases.map(\.rawValue)) }

    private static let enumerations: [String: Set<String>] = [
        "io.sextant.Location.Configuration": values(Configuration.self),
        "io.sextant.Location.DesiredAccuracy": values(DesiredAccuracy.self),
        "io.sextant.Location.AccuracySource": values(Location.AccuracySource.self),
        "io.sextant.Location.Quality": values(Location.Quality.self),
        "io.sextant.Location.Cause": values(LocationUpdate.Cause.self),
        "io.sextant.Location.Authorization": values(Authorization.self),
        "io.sextant.Location.HeadingSource": values(Heading.Source.self),
        "io.sextant.Location.VariationSource": values(Heading.VariationSource.self),
        "io.sextant.Receiver.State": values(Receiver.State.self),
        "io.sextant.Receiver.Constellation": values(Satellite.Constellation.self),
        "io.sextant.Receiver.Activity": values(Receiver.Activity.self),
        "io.sextant.Receiver.Authorization": values(Authorization.self),
        "io.sextant.Manager.Purpose": values(Purpose.self),
        "io.sextant.Manager.PowerState": values(PowerState.self),
        "io.sextant.Manager.StateProblem.cause": values(StoredState.Cause.self),
        "io.sextant.Manager.Authorization": values(Authorization.self),
        "io.sextant.Monitor.State": values(Condition.State.self),
        "io.sextant.Monitor.Kind": values(MonitorEvent.Kind.self),
        "io.sextant.Monitor.Authorization": values(Authorization.self),
        "io.sextant.Session.Authorization": values(Authorization.self),
        "io.sextant.Session.Accuracy": values(AccuracyAuthorization.self),
        "io.sextant.Session.Requirement": values(ServiceSession.Requirement.self),
        "io.sextant.Permission.Accuracy": values(AccuracyAuthorization.self),
        "io.sextant.Permission.Use.kind": values(Use.Kind.self),
        "io.sextant.Permission.Use.state": values(Use.State.self),
        "io.sextant.Manager.DeclaredSession.requirement": values(ServiceSession.Requirement.self),
        // The scope of a limit is part of the text of an error.
        "io.sextant.Monitor.Scope": ["program", "user", "all"],
        "io.sextant.Manager.Scope": ["program", "user", "all"],
    ]

    private static func descriptions() throws -> [InterfaceDescription] {
        try Interface.allCases.filter { omittedInterfaces[$0] == nil }.map {
            try InterfaceDescription(parsing: $0.text)
        }
    }

    @Test func `every method is known, with all members of its parameters and its replies`() throws {
        for interface in try Self.descriptions() {
            let samples = Samples(interface)
            for name in interface.methodNames {
                let method = "\(interface.name).\(name)"
                guard Self.omittedMethods[method] == nil, let fields = interface.method(name) else { continue }
                let known = try #require(Self.known[method], "SextantClient does not know \(method)")
                // A strict decoder refuses members that the type does not read.
                #expect(throws: Never.self, "a reply of \(method)") {
                    try samples.object(fields.output).decode(known.reply, strict: true)
                }
                let parameters = try JSONValue(encoding: known.parameters).object ?? [:]
                let sent = Set(parameters.keys)
                let declared = Set(fields.input.map(\.name)).filter {
                    Self.omittedParameters["\(interface.name.dropFirst("io.sextant.".count)).\($0)"] == nil
                }
                #expect(sent == declared, "the parameters of \(method)")
            }
        }
        let names = Set(
            try Self.descriptions().flatMap { interface in interface.methodNames.map { "\(interface.name).\($0)" } })
        #expect(Set(Self.known.keys).subtracting(names).isEmpty, "methods that no interface has")
    }

    @Test func `every enumerator is known`() throws {
        for interface in try Self.descriptions() {
            for member in interface.members {
                let type = "\(interface.name).\(member.name)"
                guard !Self.omittedTypes.contains(type), let definition = interface.type(member.name) else { continue }
                switch definition {
                case .enumeration(let names): #expect(Self.enumerations[type] == Set(names), "\(type)")
                case .structure(let fields):
                    for field in fields {
                        guard case .enumeration(let names) = field.type else { continue }
                        #expect(Self.enumerations["\(type).\(field.name)"] == Set(names), "\(type).\(field.name)")
                    }
                default: break
                }
            }
        }
    }

    @Test func `a condition is sent with all its members`() throws {
        let monitor = try InterfaceDescription(parsing: Interface.monitor.text)
        guard case .structure(let fields)? = monitor.type("Condition") else { throw TestFailure("no type Condition") }
        let members = try JSONValue(encoding: Self.condition).object ?? [:]
        let others = ["polygon", "corridor", "visits", "significantChange"]
        #expect(Set(members.keys).union(others) == Set(fields.map(\.name)))
    }

    @Test func `the test notices a new member`() throws {
        let text = Interface.location.text.replacing("  simulated: ?bool,", with: "  simulated: ?bool, novelty: ?int,")
        let interface = try InterfaceDescription(parsing: text)
        let output = try #require(interface.method("Subscribe")).output
        #expect(throws: MemberError.self) {
            try Samples(interface).object(output).decode(LocationUpdate.self, strict: true)
        }
    }

    @Test func `an unknown enumerator does not fail a message`() throws {
        let interface = try InterfaceDescription(parsing: Interface.location.text)
        var members = Samples(interface).object(interface.method("Subscribe")?.output ?? []).object ?? [:]
        members["cause"] = "solarStorm"
        members["location"] = members["location"]?.replacing("accuracySource", with: "telepathy")
        let update = try JSONValue.object(members).decode(LocationUpdate.self, strict: false)
        #expect(update.unavailable == LocationUpdate.Cause(rawValue: "solarStorm"))
        #expect(update.location?.accuracySource.rawValue == "telepathy")
    }
}

/// Values with all members of an interface.
private struct Samples {
    let interface: InterfaceDescription

    init(_ interface: InterfaceDescription) { self.interface = interface }

    func object(_ fields: [InterfaceDescription.Field]) -> JSONValue {
        .object(Dictionary(fields.map { ($0.name, value($0.type)) }) { first, _ in first })
    }

    private func value(_ type: InterfaceDescription.TypeReference) -> JSONValue {
        switch type {
        case .bool: true
        case .int: 1
        case .float: 1.5
        // Text and time alike.
        case .string: "2026-01-02T03:04:05.678Z"
        case .object: ["a": 1]
        case .optional(let type): value(type)
        case .array(let type): [value(type)]
        case .map(let type): ["a": value(type)]
        case .named(let name): interface.type(name).map(value) ?? .null
        case .structure(let fields): object(fields)
        case .enumeration(let names): .string(names[0])
        }
    }
}

extension JSONValue {
    /// Returns an object with another string in a member.
    fileprivate func replacing(_ name: String, with text: String) -> JSONValue {
        var members = object ?? [:]
        members[name] = .string(text)
        return .object(members)
    }
}
