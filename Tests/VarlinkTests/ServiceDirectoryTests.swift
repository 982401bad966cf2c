import Testing

@testable import Varlink

@Suite struct ServiceDirectoryTests {
    private let directory: ServiceDirectory
    private let name = "org.example.thermo-meter.v2"

    init() throws {
        directory = try ServiceDirectory(
            vendor: "Example", product: "Thermo", version: "2.0", url: "https://example.org",
            interfaces: [try InterfaceDescription(parsing: InterfaceFixture.thermometer)],
            upgradable: ["org.example.thermo-meter.v2.Reset"]
        )
    }

    private func reply(to method: String, parameters: [String: JSONValue] = [:]) throws -> Reply {
        guard case .reply(let object) = directory.route(Call(method: method, parameters: parameters)) else {
            Issue.record("no reply")
            return Reply()
        }
        return try Reply(parsing: ReplyFrame.assemble(shared: object, continues: false).dropLast())
    }

    @Test func `interface text is created on request and comments are not kept`() throws {
        let full = try InterfaceDescription(
            parsing: "# Why.\ninterface a.b\n# What.\nmethod Do(# How.\nx: ?[]string) -> ()\n")
        let directory = try ServiceDirectory(
            vendor: "v", product: "p", version: "1", url: "u", naming: ["a.b", "a.c"],
            text: { $0 == "a.b" ? full.text : nil })
        let interface = try #require(directory.interface("a.b"))
        #expect(
            interface.text.isEmpty && interface.documentation.isEmpty
                && interface.member("Do")?.documentation.isEmpty == true)
        #expect(interface.method("Do")?.input.map(\.type) == full.method("Do")?.input.map(\.type))
        let call = Call(method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": "a.b"])
        #expect(directory.route(call) == .reply(EncodedObject(["description": .string(full.text)])))
    }

    @Test func `an interface is parsed at its first call`() throws {
        let texts = ["a.b": "interface a.b\nmethod Do(x: int) -> ()\n", "a.d": "interface"]
        var directory = try ServiceDirectory(
            vendor: "v", product: "p", version: "1", url: "u", naming: ["a.b", "a.c", "a.d"], text: { texts[$0] })
        #expect(directory.info.interfaces == ["org.varlink.service", "a.b", "a.c", "a.d"])
        for _ in 0..<2 {
            #expect(
                directory.route(Call(method: "a.b.Do", parameters: ["x": 1]))
                    == .dispatch(interface: "a.b", method: "Do"))
            #expect(
                directory.route(Call(method: "a.b.Do", parameters: ["x": "1"]))
                    == .fail(.invalidParameter(parameter: "x")))
            for absent in ["a.c", "a.d", "a.e"] {
                #expect(directory.route(Call(method: "\(absent).Do")) == .fail(.interfaceNotFound(interface: absent)))
            }
            directory.cacheInterface(for: Call(method: "a.b.Do"))
        }
    }

    @Test func `GetInfo returns the service information`() throws {
        let info = try reply(to: "org.varlink.service.GetInfo").parameters
        #expect(info["version"] == .string(directory.info.version))
        #expect(info["interfaces"] == ["org.varlink.service", .string(name)])
    }

    @Test func `GetInterfaceDescription returns every interface`() throws {
        for interface in directory.info.interfaces {
            let parameters = ["interface": JSONValue.string(interface)]
            let reply = try reply(to: "org.varlink.service.GetInterfaceDescription", parameters: parameters)
            let text = try #require(reply.parameters["description"]?.string)
            #expect(try InterfaceDescription(parsing: text).name == interface)
        }
    }

    @Test func `replies and errors match the service interface`() throws {
        let validator = Validator(try #require(directory.interface(ServiceInterface.name)))
        try validator.checkOutput(try reply(to: "org.varlink.service.GetInfo").parameters, of: "GetInfo")
        for error in [
            ServiceError.interfaceNotFound(interface: ""), .methodNotFound(method: ""),
            .methodNotImplemented(method: ""),
            .invalidParameter(parameter: ""), .permissionDenied, .expectedMore,
        ] {
            try validator.checkParameters(error.reply.parameters, ofError: Call(method: error.reply.name).member)
        }
    }

    @Test(arguments: [
        (Call(method: "org.example.other.Do"), ServiceError.interfaceNotFound(interface: "org.example.other")),
        (Call(method: "Do"), .interfaceNotFound(interface: "")), (Call(method: ""), .interfaceNotFound(interface: "")),
        (Call(method: "org.varlink.service.Do"), .methodNotFound(method: "org.varlink.service.Do")),
        (
            Call(method: "org.varlink.service.PermissionDenied"),
            .methodNotFound(method: "org.varlink.service.PermissionDenied")
        ),
        (Call(method: "org.varlink.service.GetInfo", parameters: ["x": 1]), .invalidParameter(parameter: "x")),
        (Call(method: "org.varlink.service.GetInterfaceDescription"), .invalidParameter(parameter: "interface")),
        (
            Call(method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": 1]),
            .invalidParameter(parameter: "interface")
        ),
        (
            Call(method: "org.varlink.service.GetInterfaceDescription", parameters: ["interface": "a.b"]),
            .interfaceNotFound(interface: "a.b")
        ),
        (
            Call(method: "org.example.thermo-meter.v2.List", parameters: ["kind": "fire"]),
            .invalidParameter(parameter: "kind")
        ),
        (
            Call(method: "org.example.thermo-meter.v2.List", mode: .upgrade),
            .methodNotImplemented(method: "org.example.thermo-meter.v2.List")
        ),
    ]) func `invalid calls are rejected`(sample: (Call, ServiceError)) {
        #expect(directory.route(sample.0) == .fail(sample.1))
    }

    @Test func `calls to known methods are dispatched`() {
        #expect(
            directory.route(Call(method: "\(name).List", parameters: ["kind": "air"]))
                == .dispatch(interface: name, method: "List"))
        #expect(
            directory.route(Call(method: "\(name).Reset", mode: .upgrade))
                == .dispatch(interface: name, method: "Reset"))
        #expect(directory.offers("\(name).List"))
        #expect(!directory.offers("\(name).Probe"))
    }
}
