import Bridges
import Testing

@Suite struct RequestParserTests {
    private static func requests(_ packets: [[UInt8]]) -> [Request] {
        var parser = RequestParser()
        var found: [Request] = []
        for packet in packets {
            parser.append(packet)
            while let request = parser.next() { found.append(request) }
        }
        return found
    }

    private static func requests(_ text: String) -> [Request] { requests([Array(text.utf8)]) }

    private static func policy(_ text: String, after earlier: String? = nil) -> WatchPolicy? {
        var policy = WatchPolicy()
        for case .watch(let change?) in requests((earlier ?? "") + text) { policy.apply(change) }
        return policy
    }

    /// What clients send, with the number of requests in it (measured: bridges of other projects).
    private static let seen: [(text: String, count: Int)] = [
        ("?WATCH={\"enable\":true,\"json\":true};\n", 1),
        ("?WATCH={\"enable\":true,\"json\":true}", 1),
        ("?WATCH={\"raw\":2,\"pps\":true}\r\n", 1),
        ("?WATCH={\"enable\":true,\"nmea\":true,\"raw\":true}", 1),
        ("?WATCH={\"class\":\"WATCH\",\"json\":true,\"device\":\"/dev/a{;}b\"};?POLL;", 2),
        ("?VERSION;?DEVICES;\r\n?POLL;", 3),
        ("?DEVICES;\r\n", 1),
        ("  ;\r\n?POLL;;;?POLL;\n", 2),
        ("?WATCH = {\"enable\":true};", 1),
        ("?FOO;\n?POLL;", 2),
    ]

    @Test(arguments: seen)
    func `requests of real clients are read`(_ sample: (text: String, count: Int)) {
        #expect(RequestParserTests.requests(sample.text).count == sample.count)
    }

    @Test(arguments: seen)
    func `a request that is cut anywhere is read the same`(_ sample: (text: String, count: Int)) {
        let bytes = Array(sample.text.utf8)
        let whole = RequestParserTests.requests([bytes])
        for cut in 1..<bytes.count {
            #expect(RequestParserTests.requests([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(RequestParserTests.requests(bytes.map { [$0] }) == whole)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{1}\u{2}", "{\"class\":\"WATCH\"}", "hello ?POLL;"])
    func `a packet that does not begin as a request is ignored`(_ text: String) {
        #expect(RequestParserTests.requests(text).isEmpty)
        #expect(RequestParserTests.requests([Array(text.utf8), Array("?POLL;".utf8)]) == [.poll])
    }

    @Test func `an absent enable is true and absent forms keep their value`() {
        #expect(RequestParserTests.policy("?WATCH={}")?.enable == true)
        #expect(RequestParserTests.policy("?WATCH={}")?.isStreaming == false)
        let kept = RequestParserTests.policy(
            "?WATCH={\"enable\":true}", after: "?WATCH={\"json\":true,\"raw\":1,\"pps\":true,\"device\":\"/dev/a\"}")
        #expect(kept?.json == true && kept?.raw == 1)
        #expect(kept?.pps == false && kept?.device == nil)
        let forms = "\"scaled\":true,\"split24\":true,\"timing\":true"
        let reset = RequestParserTests.policy("?WATCH={}", after: "?WATCH={\(forms)}")
        #expect(reset?.scaled == false && reset?.split24 == false && reset?.timing == false)
    }

    @Test func `raw true counts as 0 and larger numbers as 2`() {
        #expect(RequestParserTests.policy("?WATCH={\"raw\":true}")?.raw == 0)
        #expect(RequestParserTests.policy("?WATCH={\"raw\":7}")?.raw == 2)
    }

    @Test(arguments: [
        "?WATCH={enable:true}", "?WATCH={\"device\":/dev/a}", "?WATCH=5;", "?WATCH={\"json\":\"true\"}",
        "?WATCH={\"raw\":[2]}", "?WATCH={\"json\" true}",
    ])
    func `members that cannot be read have a reason`(_ text: String) throws {
        guard case .watch(let change?) = RequestParserTests.requests(text).first else {
            Issue.record("\(RequestParserTests.requests(text))")
            return
        }
        #expect(change.failure != nil)
    }

    @Test(arguments: [#"{"path":5}"#, #"{path:"x"}"#]) func `a device without a path has a reason`(_ text: String) {
        guard case .invalidDevice = RequestParserTests.requests("?DEVICE=" + text).first else {
            Issue.record("\(RequestParserTests.requests(text))")
            return
        }
    }

    @Test func `members that no request has are passed over`() {
        let policy = RequestParserTests.policy(#"?WATCH={"a":{"b":["}",{}]},"c":null,"json":true,"d":"\"}"}"#)
        #expect(policy?.json == true)
    }

    @Test func `an answer quotes the end of a request as gpsd does`() {
        let quoted = [
            "?FOO;\n": "?FOO;\n", "?FOO;": "?FOO;\n", "?FOO\r\n": "?FOO\r\n", "?FOO={\"a\":1};": "?FOO={\"a\":1}\n",
        ]
        for (text, answer) in quoted { #expect(RequestParserTests.requests(text) == [.unrecognized(answer)]) }
    }

    @Test func `a line end closes a string that has no end`() {
        let requests = RequestParserTests.requests("?WATCH={\"device\":\"/dev/a\n?VERSION;?POLL;")
        #expect(requests == [.watch(WatchChange()), .version, .poll])
    }

    @Test func `an endless request is answered once and uses bounded memory`() {
        var parser = RequestParser()
        parser.append(Array("?WATCH={".utf8))
        var answers: [Request] = []
        for _ in 0..<64 {
            parser.append([UInt8](repeating: 65, count: 1024))
            while let request = parser.next() { answers.append(request) }
            #expect(parser.byteCount <= RequestParser.maxBuffered)
        }
        #expect(answers == [.tooLong])
        parser.append(Array("?POLL;".utf8))
        #expect(parser.next() == .poll)
    }
}
