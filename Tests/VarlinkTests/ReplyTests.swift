import Testing

@testable import Varlink

@Suite struct ReplyTests {
    struct Answer: Message, Equatable {
        var name: String

        init(name: String) { self.name = name }
        init(_ members: inout MemberReader) { name = members.string("name") }
        func write(to object: inout ObjectWriter) { object.append(name, forKey: "name") }
    }

    @Test(arguments: [
        ("{}", Reply()), (#"{"parameters":null}"#, Reply()),
        (#"{"parameters":{"x":1},"continues":true}"#, Reply(parameters: ["x": 1], continues: true)),
        (#"{"error":"a.B","parameters":{"x":1}}"#, Reply(error: VarlinkError(name: "a.B", parameters: ["x": 1]))),
        (#"{"error":"a.B","continues":false}"#, Reply(error: VarlinkError(name: "a.B"))),
    ]) func `valid replies are parsed`(sample: (String, Reply)) throws {
        #expect(try Reply(parsing: bytes(sample.0)) == sample.1)
    }

    @Test(arguments: [
        ("[]", ProtocolViolation.notAnObject), (#"{"error":1}"#, .wrongType(member: "error")),
        (#"{"continues":1}"#, .wrongType(member: "continues")),
        (#"{"parameters":[]}"#, .wrongType(member: "parameters")),
        (#"{"error":"a.B","continues":true}"#, .unexpectedContinues),
        (#"{"result":1}"#, .unknownMember("result")),
    ]) func `invalid replies are rejected`(sample: (String, ProtocolViolation)) {
        #expect(throws: sample.1) { try Reply(parsing: bytes(sample.0)) }
    }

    @Test(arguments: [
        Reply(), Reply(parameters: ["x": "é"], continues: true), Reply(error: VarlinkError(name: "a.B")),
        Reply(error: VarlinkError(name: "a.B", parameters: ["x": nil])),
    ]) func `an encoded reply is parsed back`(reply: Reply) throws {
        #expect(try Reply(parsing: reply.encoded().dropLast()) == reply)
    }

    @Test func `clients ignore unknown fields`() throws {
        let method = Method<NoParameters, Answer>(named: "a.B")
        #expect(try Reply(parameters: ["name": "x", "new": 1]).parameters(of: method) == Answer(name: "x"))
        #expect(throws: UnexpectedParameters(path: "name", reason: "expected string, got int")) {
            try Reply(parameters: ["name": 1]).parameters(of: method)
        }
    }

    @Test func `leading numbers are inserted before shared members`() {
        let shared = EncodedObject(Answer(name: "x"))
        let frame = ReplyFrame.assemble(leading: [("sequence", 1), ("dropped", 0)], shared: shared, continues: true)
        #expect(text(frame) == #"{"parameters":{"sequence":1,"dropped":0,"name":"x"},"continues":true}"# + "\0")
    }

    @Test func `a frame is assembled when one part is empty`() {
        #expect(text(ReplyFrame.assemble(shared: .empty, continues: false)) == "{\"parameters\":{}}\0")
        #expect(
            text(ReplyFrame.assemble(leading: [("n", .min)], shared: .empty, continues: true))
                == "{\"parameters\":{\"n\":\(Int.min)},\"continues\":true}\0")
        #expect(
            text(ReplyFrame.assemble(shared: EncodedObject(["a": 1]), continues: false))
                == "{\"parameters\":{\"a\":1}}\0")
    }

    @Test func `equal values give equal bytes`() {
        let a = EncodedObject(["b": "x/y", "a": "1", "c": "é"])
        #expect(text(a.bytes) == #"{"a":"1","b":"x/y","c":"é"}"#)
    }

    @Test(arguments: [
        ServiceError.interfaceNotFound(interface: "a.b"), .methodNotFound(method: "a.b.C"),
        .methodNotImplemented(method: "a.b.C"),
        .invalidParameter(parameter: "x"), .permissionDenied, .expectedMore,
    ]) func `standard errors are parsed back`(error: ServiceError) throws {
        let reply = try Reply(parsing: ReplyFrame.error(error.reply).dropLast())
        #expect(ServiceError(try #require(reply.failure)) == error)
    }

    @Test func `other errors are not standard errors`() {
        #expect(ServiceError(VarlinkError(name: "org.example.NotFound")) == nil)
        #expect(ServiceError(VarlinkError(name: "org.varlink.service.Unheard")) == nil)
    }

    @Test func `an error is described with its parameters`() {
        let error = VarlinkError(name: "a.b.Gone", parameters: ["name": "x"])
        #expect(error.description == #"a.b.Gone {"name":"x"}"#)
    }
}
