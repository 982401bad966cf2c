import Testing

@testable import Varlink

@Suite struct CallTests {
    private func violation(_ message: String) -> ProtocolViolation? {
        do throws(ProtocolViolation) {
            _ = try Call(parsing: bytes(message))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"method":"a.b.C"}"#, Call(method: "a.b.C")),
        (#"{"method":"a.b.C","parameters":null}"#, Call(method: "a.b.C")),
        (#"{"method":"a.b.C","more":null,"oneway":null,"upgrade":null}"#, Call(method: "a.b.C")),
        (#"{"method":"a.b.C","parameters":{}}"#, Call(method: "a.b.C")),
        (
            #" { "method" : "a.b.C" , "parameters" : { "x" : 1 } , "more" : true } "#,
            Call(method: "a.b.C", parameters: ["x": 1], mode: .more)
        ),
        (#"{"method":"a.b.C","oneway":true,"more":false,"upgrade":false}"#, Call(method: "a.b.C", mode: .oneway)),
        (#"{"method":"a.b.C","upgrade":true}"#, Call(method: "a.b.C", mode: .upgrade)),
        (#"{"method":"a.b.C","com.example.trace":{"id":1}}"#, Call(method: "a.b.C")),
    ]) func `valid calls are parsed`(sample: (String, Call)) throws {
        #expect(try Call(parsing: bytes(sample.0)) == sample.1)
    }

    @Test(arguments: [
        ("[]", ProtocolViolation.notAnObject), ("1", .notAnObject), ("{}", .missingMethod),
        (#"{"method":1}"#, .missingMethod),
        (#"{"method":null}"#, .missingMethod), (#"{"parameters":{}}"#, .missingMethod),
        (#"{"method":"a.B","id":1}"#, .unknownMember("id")),
        (#"{"method":"a.B","com.x":1}"#, .wrongType(member: "com.x")),
        (#"{"method":"a.B","more":1}"#, .wrongType(member: "more")),
        (#"{"method":"a.B","oneway":"true"}"#, .wrongType(member: "oneway")),
        (#"{"method":"a.B","parameters":[]}"#, .wrongType(member: "parameters")),
        (#"{"method":"a.B","parameters":"x"}"#, .wrongType(member: "parameters")),
        (#"{"method":"a.B","more":true,"oneway":true}"#, .conflictingFlags),
        (#"{"method":"a.B","more":true,"upgrade":true}"#, .conflictingFlags),
        ("", .malformed(JSONError(reason: .unexpectedEnd, offset: 0))),
        ("hello", .malformed(JSONError(reason: .unexpectedByte, offset: 0))),
    ]) func `invalid calls are rejected with the violation`(sample: (String, ProtocolViolation)) {
        #expect(violation(sample.0) == sample.1)
    }

    @Test(arguments: [
        ("org.example.thing.Do", "org.example.thing", "Do"), ("Do", "", "Do"), ("", "", ""), ("a.", "a", ""),
        (".A", "", "A"),
    ])
    func `a method name splits into interface and member`(sample: (String, String, String)) {
        let call = Call(method: sample.0)
        #expect(call.interface == sample.1)
        #expect(call.member == sample.2)
    }

    @Test(arguments: Call.Mode.allCases) func `an encoded call is parsed back`(mode: Call.Mode) throws {
        let call = Call(method: "a.b.C", parameters: ["x": ["y": [1, "é\n"]]], mode: mode)
        let encoded = call.encoded()
        #expect(encoded.last == 0)
        #expect(encoded.dropLast().contains(0) == false)
        #expect(try Call(parsing: encoded.dropLast()) == call)
    }
}

@Suite struct ParameterTests {
    enum Tier: String { case slow, fast }

    struct Corner: Message, Equatable {
        var latitude: Double

        init(latitude: Double) { self.latitude = latitude }
        init(_ members: inout MemberReader) { latitude = members.double("latitude") }
        func write(to object: inout ObjectWriter) { object.append(latitude, forKey: "latitude") }
    }

    struct Area: Message, Equatable {
        var tier: Tier
        var corners: [Corner]
        var extra: [String: JSONValue]?
        var small: Int?

        init(tier: Tier, corners: [Corner], extra: [String: JSONValue]?) {
            (self.tier, self.corners) = (tier, corners)
            self.extra = extra
        }

        init(_ members: inout MemberReader) {
            tier = members.name("tier", unknown: .slow)
            corners = members.messages("corners")
            extra = members.objectIfPresent("extra")
            small = members.intIfPresent("small")
        }

        func write(to object: inout ObjectWriter) {}
    }

    private func call(_ json: String) throws -> Call {
        Call(method: "a.B", parameters: try #require(try JSONValue(parsing: bytes(json)).object))
    }

    private func refused<P: Message>(_ json: String, as type: P.Type) throws -> String? {
        let call = try call(json)
        do throws(ServiceError) {
            _ = try call.parameters(of: Method<P, NoParameters>(named: "a.B"))
            return nil
        } catch {
            guard case .invalidParameter(let parameter) = error else { return "?" }
            return parameter
        }
    }

    @Test func `nested parameter types are decoded`() throws {
        let json = #"{"tier":"fast","corners":[{"latitude":1},{"latitude":-2.5}],"extra":{"z":[1]},"small":null}"#
        let area = try call(json).parameters(of: Method<Area, NoParameters>(named: "a.B"))
        #expect(
            area == Area(tier: .fast, corners: [.init(latitude: 1), .init(latitude: -2.5)], extra: ["z": [1]]))
    }

    @Test(arguments: [
        (#"{"corners":[]}"#, "tier"), (#"{"tier":"fast"}"#, "corners"), (#"{"tier":"warp","corners":[]}"#, "tier"),
        (#"{"tier":1,"corners":[]}"#, "tier"),
        (#"{"tier":null,"corners":[]}"#, "tier"), (#"{"tier":"fast","corners":{}}"#, "corners"),
        (#"{"tier":"fast","corners":[],"typo":1}"#, "typo"),
        (#"{"tier":"fast","corners":[{"latitude":1},{"latitude":"x"}]}"#, "corners[1].latitude"),
        (#"{"tier":"fast","corners":[{}]}"#, "corners[0].latitude"),
        (#"{"tier":"fast","corners":[{"latitude":1,"z":2}]}"#, "corners[0].z"),
        (#"{"tier":"fast","corners":[],"small":1.5}"#, "small"),
        (#"{"tier":"fast","corners":[],"small":true}"#, "small"),
    ]) func `a decoding error names the parameter`(sample: (String, String)) throws {
        #expect(try refused(sample.0, as: Area.self) == sample.1)
    }

    @Test func `a type without fields rejects parameters`() throws {
        #expect(try refused("{}", as: NoParameters.self) == nil)
        #expect(try refused(#"{"x":1}"#, as: NoParameters.self) == "x")
    }

    @Test func `a message of any form keeps its members`() throws {
        let members: [String: JSONValue] = ["b": [1, nil], "a": ["c": "é"]]
        let method = Method<AnyMessage, AnyMessage>(named: "a.B")
        let call = try method.call(with: AnyMessage(members: members))
        #expect(call.parameters == members)
        #expect(try call.parameters(of: method).members == members)
        #expect(text(try method.encoded(AnyMessage(members: members)).bytes) == #"{"a":{"c":"é"},"b":[1,null]}"#)
    }
}
