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
        for interface in Interface.allCases {
            #expect(try InterfaceDescription(parsing: interface.text).name == interface.rawValue)
        }
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
}
