import Testing

@testable import Varlink

@Suite struct InterfaceTests {
    private typealias Field = InterfaceDescription.Field

    @Test func `every kind of member is parsed`() throws {
        let interface = try InterfaceDescription(parsing: InterfaceFixture.thermometer)
        #expect(interface.name == "org.example.thermo-meter.v2")
        #expect(interface.documentation == "Warmth.\n\nDegrees are kelvins.")
        #expect(interface.members.map(\.name) == ["Kind", "Probe", "List", "Reset", "NoSuchProbe", "Broken"])
        #expect(interface.methodNames == ["List", "Reset"])
        #expect(interface.type("Kind") == .enumeration(["air", "water", "deep_soil", "default"]))
        #expect(interface.member("Kind")?.documentation == "What a probe is.")
        #expect(interface.method("List")?.output == [Field(name: "probes", type: .array(.named("Probe")))])
        #expect(interface.method("Reset")?.input == [])
        #expect(interface.error("NoSuchProbe") == [Field(name: "name", type: .string)])
        #expect(interface.error("Broken") == [])
    }

    @Test func `a description that is not documented has the same types and no texts`() throws {
        let full = try InterfaceDescription(parsing: InterfaceFixture.thermometer)
        let brief = try InterfaceDescription(parsing: InterfaceFixture.thermometer, documented: false)
        #expect(
            brief.members.map(\.name) == full.members.map(\.name)
                && brief.method("List")?.output == full.method("List")?.output)
        #expect(brief.text.isEmpty && brief.documentation.isEmpty && brief.member("Kind")?.documentation == "")
    }

    @Test func `nested types and their documentation are parsed`() throws {
        let interface = try InterfaceDescription(parsing: InterfaceFixture.thermometer)
        guard case .structure(let fields)? = interface.type("Probe") else {
            Issue.record("no struct")
            return
        }
        #expect(fields.map(\.name) == ["name", "kind", "readings", "labels", "place", "raw", "nested"])
        #expect(fields.map(\.documentation) == ["Its name.", "", "Newest last.", "", "", "", ""])
        #expect(fields[3].type == .map(.optional(.string)))
        #expect(
            fields[4].type
                == .optional(
                    .structure([
                        Field(name: "latitude", type: .float), Field(name: "longitude", type: .float),
                        Field(name: "how", type: .enumeration(["gps", "hand"])),
                    ])))
        #expect(fields[5].type == .optional(.object))
        #expect(fields[6].type == .optional(.array(.array(.int))))
    }

    @Test func `lookups distinguish methods, types and errors`() throws {
        let interface = try InterfaceDescription(parsing: InterfaceFixture.thermometer)
        #expect(interface.method("Kind") == nil)
        #expect(interface.type("List") == nil)
        #expect(interface.error("List") == nil)
        #expect(interface.member("Nothing") == nil)
    }

    @Test(arguments: InterfaceFixture.broken) func `a syntax error has its line and column`(
        sample: (text: String, place: String)
    ) {
        do throws(InterfaceSyntaxError) {
            _ = try InterfaceDescription(parsing: sample.text)
            Issue.record("accepted: \(sample.text)")
        } catch {
            #expect("\(error.line):\(error.column)" == sample.place, "\(sample.text): \(error)")
        }
    }

    @Test func `a syntax error has a readable reason`() {
        #expect(throws: InterfaceSyntaxError(line: 2, column: 8, reason: "expected '(', found 'int'")) {
            try InterfaceDescription(parsing: "interface a.b\ntype T int")
        }
    }

    @Test(arguments: ["[]", "[string]", "(a: ", "?[]"]) func `deep nesting is an error`(unit: String) {
        let text = "interface a.b\ntype T (a: " + String(repeating: unit, count: 20_000)
        #expect(throws: InterfaceSyntaxError.self) { try InterfaceDescription(parsing: text) }
    }

    @Test(arguments: 0..<300) func `damaged text never traps`(seed: Int) {
        var random = Seeded(UInt64(seed))
        var damaged = bytes(InterfaceFixture.thermometer)
        for _ in 0..<4 {
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 9...126, using: &random)
        }
        _ = try? InterfaceDescription(parsing: text(damaged))
    }
}

@Suite struct ValidatorTests {
    private let validator: Validator

    init() throws {
        validator = Validator(try InterfaceDescription(parsing: InterfaceFixture.thermometer))
    }

    private func fault(_ json: String) throws -> String? {
        do {
            try validator.checkOutput(try #require(try JSONValue(parsing: bytes(json)).object), of: "List")
            return nil
        } catch let failure as ValidationFailure {
            return failure.description
        }
    }

    private func probe(_ members: String) -> String {
        #"{"probes":[{"name":"x","kind":"air","readings":[1,2.5],"labels":{}"# + (members.isEmpty ? "" : ",\(members)")
            + "}]}"
    }

    @Test(arguments: [
        "", #""place":null"#, #""place":{"latitude":1,"longitude":2.5,"how":"gps"}"#, #""raw":{"any":[1,{}]}"#,
        #""nested":[[],[1,2.0]]"#,
    ]) func `valid values are accepted`(members: String) throws {
        #expect(try fault(probe(members)) == nil)
    }

    @Test(arguments: [
        (
            #""place":{"latitude":"1","longitude":2,"how":"gps"}"#,
            "parameters.probes[0].place.latitude: expected float, got string"
        ),
        (#""place":{"latitude":1,"how":"gps"}"#, "parameters.probes[0].place.longitude: missing"),
        (#""place":{"latitude":1,"longitude":null,"how":"gps"}"#, "parameters.probes[0].place.longitude: missing"),
        (
            #""place":{"latitude":1,"longitude":2,"how":"map"}"#,
            #"parameters.probes[0].place.how: expected one of gps, hand, got "map""#
        ),
        (#""place":{"latitude":1,"longitude":2,"how":"gps","z":1}"#, "parameters.probes[0].place.z: not declared"),
        (#""place":[]"#, "parameters.probes[0].place: expected object, got array"),
        (#""raw":1"#, "parameters.probes[0].raw: expected object, got int"),
        (#""nested":[[1.5]]"#, "parameters.probes[0].nested[0][0]: expected int, got float"),
        (#""nested":[1]"#, "parameters.probes[0].nested[0]: expected array, got int"),
        (#""extra":true"#, "parameters.probes[0].extra: not declared"),
    ]) func `invalid values are rejected with path and reason`(sample: (String, String)) throws {
        #expect(try fault(probe(sample.0)) == sample.1)
    }

    @Test func `missing fields and invalid map values are reported`() throws {
        #expect(try fault("{}") == "parameters.probes: missing")
        #expect(
            try fault(#"{"probes":[{"name":"x","kind":1,"readings":[],"labels":{}}]}"#)
                == "parameters.probes[0].kind: expected string, got int")
        #expect(
            try fault(#"{"probes":[{"name":"x","kind":"air","readings":[],"labels":{"a":null,"b":2}}]}"#)
                == "parameters.probes[0].labels.b: expected string, got int")
    }

    @Test func `inputs, errors and types are checked and unknown names rejected`() throws {
        try validator.checkInput([:], of: "List")
        try validator.checkInput(["kind": nil], of: "List")
        try validator.checkParameters(["name": "x"], ofError: "NoSuchProbe")
        try validator.check("water", type: "Kind")
        #expect(throws: ValidationFailure(path: "parameters.x", reason: .undeclared)) {
            try validator.checkInput(["x": 1], of: "Reset")
        }
        #expect(throws: ValidationFailure(path: "Kind", reason: .expected("string", got: "bool"))) {
            try validator.check(true, type: "Kind")
        }
        #expect(throws: ValidationFailure(path: "Nothing", reason: .unknownName)) {
            try validator.checkInput([:], of: "Nothing")
        }
        #expect(throws: ValidationFailure(path: "List", reason: .unknownName)) {
            try validator.checkParameters([:], ofError: "List")
        }
    }
}
