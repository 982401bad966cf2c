import Chronology
import DaemonSupport
import Foundation
import Locator
import SextantAPI
import TestSupport
import Testing

@testable import SextantClient
@testable import Varlink

/// Fails when a method, parameter or type is added to an interface, and not to this library.
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
            ("io.sextant.Location.Track", "the track is for its user: sextant track"),
            ("io.sextant.Manager.GetMotionSources", "motion sources are of the device: sextant doctor motion"),
            ("io.sextant.Manager.ReportMotion", "what reports motion is a sensor of the device: sextant motion report"),
            ("io.sextant.Manager.ForgetMotionSource", "motion sources are of the device: sextant motion forget"),
            ("io.sextant.Manager.Watch", "the status as a stream is for pages that show it: sextant-web"),
            ("io.sextant.Monitor.Watch", "a program gets its own events with Open; the others are for sextant-web"),
            ("io.sextant.Session.EndGrace", "invalidate() calls it after the end of another call"),
            ("io.sextant.Session.ActFor", "only sextant-places may act for its clients"),
            ("io.sextant.Receiver.GetStarts", "the starts of receivers are for their user: sextant receivers --starts"),
            ("io.sextant.Beacon.Scan", "only sextant-beacons receives beacons"),
            ("io.sextant.Beacon.Report", "only sextant-beacons reports beacons"),
            ("io.sextant.Receiver.Sentences", "the sentences of a receiver are for tools: sextant tail"),
        ])
    /// Types of these methods, and of errors.
    private static let omittedTypes: Set = [
        "AuthorizationChoice", "BeaconPace", "BeaconSightingMessage", "Grant", "GrantAuthor", "LimitScope",
        "MotionActivity", "MotionKind",
        "MotionSourceReport",
        "MotionTrust", "MotionUse", "PermissionDefault", "RecordedPoint", "Rule", "SessionDiagnostics", "SwitchState",
    ]
    private static let omittedParameters: [String: String] = [
        "Location.timesBurst": "clocks are compared by the bridge and by sextant time",
        "Receiver.minimumInterval": "a change of a receiver is an element of a sequence; a program may skip some",
        "Monitor.program": "monitors of other programs are managed with the command line",
        "Monitor.limit": "the size of a page is the daemon's",
        "Session.implicit": "only for a program that does not know sessions",
        "Permission.limit": "the size of a page is the daemon's",
    ]

    /// A use of a method with all of its parameters. It lasts until its task is cancelled.
    private typealias Use = @Sendable (SextantClient.Client) async throws -> Void

    private static func monitor(_ use: @escaping @Sendable (Monitor) async throws -> Void) -> Use {
        { client in try await use(client.monitor("places", application: "org.example.Boat")) }
    }

    private static let locationUses: [String: Use] = [
        "Location.Subscribe": { client in
            let updates = client.locations(
                .default, receiver: "a", desiredAccuracy: .best, distanceFilter: 1, minimumInterval: .seconds(1),
                maximumDelay: .seconds(1), significantChange: true, passive: true, pausesWhenStationary: true,
                application: "org.example.Boat", tolerance: 25)
            for try await _ in updates {}
        },
        "Location.GetLocation": { client in
            _ = try await client.location(maximumAge: .seconds(1), timeout: .seconds(1), receiver: "a")
        },
        "Location.WatchHeading": { client in for try await _ in client.headings(filter: 1, passive: true) {} },
        "Beacon.Range": { client in
            for try await _ in client.beacons(BeaconMessage(uuid: "F7826DA6-4FA4-4E98-8024-BC5B71E0893E")) {}
        },
        "Location.WatchVisits": { client in for try await _ in client.visits() {} },
        "Receiver.List": { client in _ = try await client.receivers() },
        "Receiver.Watch": { client in for try await _ in client.receiverChanges(receiver: "a") {} },
        "Manager.GetStatus": { client in _ = try await client.status() },
        "Manager.GetPower": { client in _ = try await client.power(days: 1, receiver: "a") },
        "Manager.GetConsumers": { client in _ = try await client.consumers() },
        "Session.Declare": { client in
            let session = client.session(.always, purpose: "a", usageDescription: "b")
            _ = try await session.nextDiagnostics()
        },
        "Session.KeepActive": { client in
            let lease = client.keepActive()
            _ = try await lease.nextState()
        },
        "Session.GetAuthorization": { client in _ = try await client.permission() },
        "Session.WatchAuthorization": { client in for try await _ in client.permissionChanges() {} },
        "Permission.GetUsage": { client in _ = try await client.usage(program: "a") },
    ]

    private static let monitorUses: [String: Use] = [
        "Monitor.Open": monitor { monitor in for try await _ in monitor.latestEvents {} },
        "Monitor.Add": monitor { monitor in _ = try await monitor.add(condition) },
        "Monitor.Remove": monitor { monitor in _ = try await monitor.remove(["home"]) },
        "Monitor.List": monitor { monitor in _ = try await monitor.records() },
        "Monitor.GetRecord": monitor { monitor in _ = try await monitor.record(for: "home") },
        "Monitor.Acknowledge": monitor { monitor in _ = try await monitor.acknowledge([1]) },
        "Monitor.Import": monitor { monitor in _ = try await monitor.add(geoJSON: [:]) },
        "Monitor.Export": monitor { monitor in _ = try await monitor.geoJSON() },
        "Monitor.ListMonitors": { client in _ = try await client.monitors() },
        "Monitor.Delete": monitor { monitor in try await monitor.delete() },
        "Monitor.Nearest": monitor { monitor in _ = try await monitor.nearest(1) },
    ]

    /// Parameters of other calls of the same method: the events alone, or the next page.
    private static let otherCalls: [String: Set<String>] = [
        "Monitor.Open": ["deliver"], "Monitor.List": ["after"], "Monitor.Export": ["after"],
        "Permission.GetUsage": ["after"],
    ]

    private static let condition = Condition(
        "home", .circle(center: Point(latitude: 1, longitude: 2), radius: 3), assuming: .satisfied, dwell: .seconds(1),
        expiry: UTCTime(milliseconds: 0), metadata: [:])

    private static let prefix = "io.sextant."

    private nonisolated(nonsending) func call(of use: @escaping Use, _ scratch: Scratch) async throws -> Call {
        let service = try FakeService(at: scratch("socket"))
        let path = service.path
        let task = Task { try await use(SextantClient.Client(socket: path)) }
        let connection = try await service.accept()
        let call = try await connection.call()
        task.cancel()
        _ = await task.result
        return call
    }

    private static func descriptions() throws -> [InterfaceDescription] {
        try Interface.allCases.filter { omittedInterfaces[$0] == nil }.map {
            try InterfaceDescription(parsing: $0.text)
        }
    }

    @Test func `every method is called, with all of its parameters`() async throws {
        let scratch = try Scratch()
        let uses = Self.locationUses.merging(Self.monitorUses) { $1 }
        var methods: Set<String> = []
        for interface in try Self.descriptions() {
            for name in interface.methodNames where Self.omittedMethods["\(interface.name).\(name)"] == nil {
                let method = "\(interface.name.dropFirst(Self.prefix.count)).\(name)"
                methods.insert(method)
                let use = try #require(uses[method], "SextantClient does not call \(method)")
                let call = try await call(of: use, scratch)
                #expect(call.method == Self.prefix + method)
                let declared = Set(interface.method(name)?.input.map(\.name) ?? []).filter {
                    Self.omittedParameters["\(method.prefix { $0 != "." }).\($0)"] == nil
                }
                let sent = Set(call.parameters.keys).union(Self.otherCalls[method] ?? [])
                #expect(sent == declared, "the parameters of \(method)")
            }
        }
        #expect(Set(uses.keys) == methods, "methods that no interface has")
    }

    @Test func `every type of these interfaces is exported, and none of their parameters and replies`() throws {
        let folder = "\(PackageFiles.package)/Sources/API/SextantAPI/Generated"
        let exports = try text("\(PackageFiles.package)/Sources/Libraries/SextantClient/Location+Exports.swift")
        let exported = Set(
            exports.matches(of: /SextantAPI\.(\w+)/).map { String($0.output.1) })
        var types: Set<String> = []
        let omitted = (Self.omittedInterfaces.keys.map(\.rawValue) + [PlacesInterface.name]).map {
            String($0.dropFirst(Self.prefix.count))
        }
        for name in PackageFiles.names(in: folder, ending: ".swift")
        where !omitted.contains(where: name.hasPrefix) {
            guard name.contains("Types") || name.contains("Enumerations") else { continue }
            let declarations = try text("\(folder)/\(name)").matches(of: /public (?:struct|enum) (\w+)/)
            types.formUnion(declarations.map { String($0.output.1) })
        }
        let elements: Set = [
            "Addition", "BeaconsInRange", "Consumers", "HeadingUpdate", "Neighbourhood", "PermissionFlags", "Power",
            "Receivers",
            "RecentLocation", "VisitUpdate",
        ]
        #expect(exported == types.subtracting(Self.omittedTypes).union(elements))
    }

    private func text(_ path: String) throws -> String { String(decoding: try PackageFiles.read(path), as: UTF8.self) }

    @Test func `a condition is sent with all its members`() throws {
        let monitor = try InterfaceDescription(parsing: Interface.monitor.text)
        guard case .structure(let fields)? = monitor.type("Condition") else { throw TestFailure("no type Condition") }
        let others = ["polygon", "corridor", "visits", "significantChange", "beacon"]
        #expect(Set(Self.condition.members.keys).union(others) == Set(fields.map(\.name)))
    }

    @Test func `an unknown enumerator does not fail a message`() throws {
        let interface = try InterfaceDescription(parsing: Interface.location.text)
        var members = interface.sample(interface.method("Subscribe")?.output ?? [])
        members["cause"] = "solarStorm"
        members["location"] = members["location"]?.replacing("accuracySource", with: "telepathy")
        let update = LocationUpdate(try SubscribeReply(members), dropped: 0)
        #expect(update.unavailable == .unknown)
        #expect(update.location?.accuracySource == .unknown)
    }

    @Test func `values are stored and read again`() throws {
        let condition = Self.condition
        #expect(try JSONDecoder().decode(Condition.self, from: JSONEncoder().encode(condition)) == condition)
        let location = Location(
            timestamp: UTCTime(milliseconds: 1), latitude: 51.5, longitude: -0.1, horizontalAccuracy: 4,
            accuracySource: .unknown, mode: .threeD, quality: .autonomous, receiver: "gps")
        #expect(try JSONDecoder().decode([Location].self, from: JSONEncoder().encode([location])) == [location])
        #expect(Set([location, location]).count == 1 && "\(location.mode) \(location.accuracySource)" == "3d unknown")
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
