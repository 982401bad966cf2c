import Geofencing
import Locator
import Positioning
import SextantAPI
import Testing
import Varlink

/// The parsed interface files.
enum Described {
    static func location() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.location.text) }
    static func receiver() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.receiver.text) }
    static func manager() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.manager.text) }
    static func monitor() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.monitor.text) }
    static func session() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.session.text) }
    static func permission() throws -> InterfaceDescription {
        try InterfaceDescription(parsing: Interface.permission.text)
    }
    static func agent() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interface.agent.text) }
}

@Suite("The interface files")
struct InterfaceTests {
    @Test
    func `all interface files parse and have their names`() throws {
        let names = try Interface.allCases.map { try InterfaceDescription(parsing: $0.text).name }
        #expect(
            names == [
                "io.sextant.Location", "io.sextant.Receiver", "io.sextant.Manager", "io.sextant.Monitor",
                "io.sextant.Session", "io.sextant.Permission", "io.sextant.Agent",
            ])
        #expect(names == Interface.allCases.map(\.rawValue))
    }

    @Test
    func `every member is documented`() throws {
        for name in Interface.allCases {
            let interface = try InterfaceDescription(parsing: name.text)
            #expect(!interface.documentation.isEmpty)
            // The types for receivers and the daemon document their fields, each with its unit.
            let undocumented = interface.members.filter {
                $0.documentation.isEmpty
                    && !["Location", "Receiver", "Satellite", "Status", "EnergyReport", "Consumer"].contains($0.name)
            }
            #expect(undocumented.map(\.name) == [], "\(interface.name)")
        }
    }

    @Test
    func `each enumeration has the values of the code in the same order`() throws {
        let location = try Described.location()
        let receiver = try Described.receiver()
        #expect(location.type("Configuration") == .enumeration(Configuration.allCases.map(\.rawValue)))
        #expect(location.type("AccuracySource") == .enumeration(AccuracySource.allCases.map(\.rawValue)))
        #expect(location.type("Quality") == .enumeration(FixQuality.allCases.map(\.rawValue)))
        #expect(location.type("Cause") == .enumeration(Cause.allCases.map(\.rawValue)))
        #expect(location.type("HeadingSource") == .enumeration(HeadingSource.allCases.map(\.rawValue)))
        #expect(location.type("VariationSource") == .enumeration(VariationSource.allCases.map(\.rawValue)))
        #expect(receiver.type("State") == .enumeration(ReceiverHealth.allCases.map(\.rawValue)))
        #expect(try Described.manager().type("Purpose") == .enumeration(Purpose.allCases.map(\.rawValue)))
        #expect(try Described.manager().type("PowerState") == .enumeration(PowerState.allCases.map(\.rawValue)))
        #expect(receiver.type("Constellation") == .enumeration(Constellation.allCases.map(\.rawValue)))
        let monitor = try Described.monitor()
        #expect(monitor.type("State") == .enumeration(ConditionState.allCases.map(\.rawValue)))
        #expect(monitor.type("Kind") == .enumeration(ConditionEvent.Kind.allCases.map(\.rawValue)))
    }

    @Test
    func `every enumeration value is explained in its comment`() throws {
        for (type, interface) in [
            ("Configuration", try Described.location()), ("AccuracySource", try Described.location()),
            ("Quality", try Described.location()), ("Cause", try Described.location()),
            ("HeadingSource", try Described.location()), ("VariationSource", try Described.location()),
            ("State", try Described.receiver()),
            ("Purpose", try Described.manager()), ("PowerState", try Described.manager()),
            ("State", try Described.monitor()), ("Kind", try Described.monitor()),
        ] {
            let member = try #require(interface.member(type))
            guard case .enumeration(let values)? = interface.type(type) else { continue }
            for value in values { #expect(member.documentation.contains(value), "\(type).\(value)") }
        }
    }

    @Test
    func `error names match the code`() throws {
        let location = try Described.location()
        let receiver = try Described.receiver()
        #expect(
            location.error("LocationUnavailable") != nil
                && LocationError(Unavailability(.noFix, detail: "")).reply.name
                    == "io.sextant.Location.LocationUnavailable"
        )
        #expect(
            location.error("NoSuchReceiver") != nil
                && NoSuchReceiverError.name(in: .location) == "io.sextant.Location.NoSuchReceiver")
        #expect(
            receiver.error("NoSuchReceiver") != nil
                && NoSuchReceiverError.name(in: .receiver) == "io.sextant.Receiver.NoSuchReceiver")
        let session = try Described.session()
        #expect(
            session.error("NotAllowed") != nil
                && SessionError.notAllowed(detail: "").reply.name == "io.sextant.Session.NotAllowed")
        #expect(
            session.error("UnknownClient") != nil
                && SessionError.unknownClient(detail: "").reply.name == "io.sextant.Session.UnknownClient")
    }

    @Test
    func `the interfaces declare the methods of the daemon`() throws {
        try expectDeclared(
            in: Described.location(),
            [
                LocationMethods.subscribe.name, LocationMethods.getLocation.name,
                LocationMethods.watchVisits.name, LocationMethods.visits.name, LocationMethods.forgetVisits.name,
                LocationMethods.watchHeading.name,
            ])
        try expectDeclared(
            in: Described.receiver(),
            [
                ReceiverMethods.list.name, ReceiverMethods.watch.name, ReceiverMethods.feed.name,
                ReceiverMethods.sentences.name, ReceiverMethods.writeCorrections.name,
            ])
        try expectDeclared(
            in: Described.manager(),
            [
                ManagerMethods.getStatus.name, ManagerMethods.getPower.name,
                ManagerMethods.getConsumers.name,
            ])
        try expectDeclared(
            in: Described.monitor(),
            [
                MonitorMethods.open.name, MonitorMethods.add.name, MonitorMethods.remove.name,
                MonitorMethods.list.name, MonitorMethods.getRecord.name, MonitorMethods.acknowledge.name,
                MonitorMethods.importConditions.name, MonitorMethods.exportConditions.name,
                MonitorMethods.listMonitors.name, MonitorMethods.delete.name, MonitorMethods.nearest.name,
            ])
        try expectDeclared(
            in: Described.session(),
            [
                SessionMethods.declare.name, SessionMethods.keepActive.name, SessionMethods.getAuthorization.name,
                SessionMethods.watchAuthorization.name, SessionMethods.actFor.name,
            ])
        try expectDeclared(
            in: Described.permission(),
            [
                PermissionMethods.set.name, PermissionMethods.remove.name, PermissionMethods.list.name,
                PermissionMethods.explain.name, PermissionMethods.setEnabled.name, PermissionMethods.getUsage.name,
                PermissionMethods.forget.name,
            ])
        try expectDeclared(in: Described.agent(), [AgentMethods.serve.name, AgentMethods.answer.name])
    }

    /// Checks that an interface declares these methods, in this order and no others.
    private func expectDeclared(in interface: InterfaceDescription, _ names: [String]) {
        #expect(interface.methodNames.map { "\(interface.name).\($0)" } == names)
    }
}
