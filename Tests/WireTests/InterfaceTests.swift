import Delivery
import Geofencing
import Locator
import Positioning
import Testing
import Varlink
import Wire

/// The interface files as values.
enum Described {
    static func location() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interfaces.location) }
    static func receiver() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interfaces.receiver) }
    static func manager() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interfaces.manager) }
    static func monitor() throws -> InterfaceDescription { try InterfaceDescription(parsing: Interfaces.monitor) }
}

@Suite("The interface files")
struct InterfaceTests {
    @Test("All of them parse and bear their names")
    func names() throws {
        let names = try Interfaces.all.map { try InterfaceDescription(parsing: $0).name }
        #expect(names == ["io.sextant.Location", "io.sextant.Receiver", "io.sextant.Manager", "io.sextant.Monitor"])
        #expect(names == Interfaces.names && names.map { Interfaces.text(of: $0) } == Interfaces.all)
    }

    @Test("Every member is documented")
    func documentation() throws {
        for text in Interfaces.all {
            let interface = try InterfaceDescription(parsing: text)
            #expect(!interface.documentation.isEmpty)
            // A receiver and the daemon are told of by their fields, each with its unit.
            let bare = interface.members.filter {
                $0.documentation.isEmpty && !["Location", "Receiver", "Satellite", "Status", "Spending", "Consumer"].contains($0.name)
            }
            #expect(bare.map(\.name) == [], "\(interface.name)")
        }
    }

    @Test("Each enumeration has just the values that the code has, in the same order")
    func enumerations() throws {
        let location = try Described.location()
        let receiver = try Described.receiver()
        #expect(location.type("Configuration") == .enumeration(LiveConfiguration.allCases.map(\.rawValue)))
        #expect(location.type("AccuracySource") == .enumeration(AccuracySource.allCases.map(\.rawValue)))
        #expect(location.type("Quality") == .enumeration(FixQuality.allCases.map(\.rawValue)))
        #expect(location.type("Cause") == .enumeration(UnavailableCause.allCases.map(\.rawValue)))
        #expect(receiver.type("State") == .enumeration(ReceiverHealth.allCases.map(\.rawValue)))
        #expect(try Described.manager().type("Purpose") == .enumeration(PurposeName.allCases.map(\.rawValue)))
        #expect(try Described.manager().type("Work") == .enumeration(WorkName.allCases.map(\.rawValue)))
        #expect(receiver.type("Constellation") == .enumeration(Constellation.allCases.map(\.rawValue)))
        let monitor = try Described.monitor()
        #expect(monitor.type("State") == .enumeration(ConditionState.allCases.map(\.rawValue)))
        #expect(monitor.type("Kind") == .enumeration(ConditionEvent.Kind.allCases.map(\.rawValue)))
    }

    @Test("Every value of an enumeration is explained in its comment")
    func explained() throws {
        for (type, interface) in [
            ("Configuration", try Described.location()), ("AccuracySource", try Described.location()),
            ("Quality", try Described.location()), ("Cause", try Described.location()), ("State", try Described.receiver()),
            ("Purpose", try Described.manager()), ("Work", try Described.manager()),
            ("State", try Described.monitor()), ("Kind", try Described.monitor()),
        ] {
            let member = try #require(interface.member(type))
            guard case .enumeration(let values)? = interface.type(type) else { continue }
            for value in values { #expect(member.documentation.contains(value), "\(type).\(value)") }
        }
    }

    @Test("Errors are named as the code names them")
    func errors() throws {
        let location = try Described.location()
        let receiver = try Described.receiver()
        #expect(location.error("LocationUnavailable") != nil && LocationUnavailableError.name == "io.sextant.Location.LocationUnavailable")
        #expect(location.error("NoSuchReceiver") != nil && NoSuchReceiverError.locationName == "io.sextant.Location.NoSuchReceiver")
        #expect(receiver.error("NoSuchReceiver") != nil && NoSuchReceiverError.receiverName == "io.sextant.Receiver.NoSuchReceiver")
    }

    @Test("Methods are those the daemon offers")
    func methods() throws {
        #expect(try Described.location().methodNames == ["Subscribe", "GetLocation", "WatchVisits"])
        #expect(try Described.receiver().methodNames == ["List", "Watch"])
        #expect(try Described.manager().methodNames == ["GetStatus", "GetPower", "GetConsumers"])
        #expect(
            try Described.monitor().methodNames == [
                "Open", "Add", "Remove", "List", "GetRecord", "Acknowledge", "Import", "Export", "ListMonitors", "Delete", "Nearest",
            ])
    }
}
