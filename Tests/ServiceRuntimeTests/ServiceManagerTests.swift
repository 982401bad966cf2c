import SystemCalls
import Testing

@testable import ServiceRuntime

@Suite struct ServiceManagerTests {
    @Test(arguments: [
        ("2 receivers, 3 clients", "STATUS=2 receivers, 3 clients"),
        ("one\nWATCHDOG=trigger", "STATUS=one WATCHDOG=trigger"),
        ("in use by a\u{1B}[2Jb\u{9B}c\u{202E}d", "STATUS=in use by a [2Jb?c?d"),
        ("", "STATUS="),
    ])
    func `a status text is one assignment on one line`(text: String, expected: String) {
        #expect(ServiceManager.statusAssignment(text) == expected)
    }

    @Test(
        arguments: [
            ([], nil), (["other"], 0), (["other", "varlink"], 1), (["varlink", "varlink"], 0), (["a", "b"], nil),
        ] as [([String], Int?)])
    func `the named socket is chosen, or the only one`(names: [String], expected: Int?) {
        #expect(ListenSockets.index(of: "varlink", among: names) == expected)
    }

    @Test func `without a service manager there are no sockets`() throws {
        #expect(try ListenSockets.claim(named: "varlink")?.number == nil)
    }

    @Test(arguments: [
        ("MESSAGE_ID", true), ("RECEIVER", true), ("A1", true), ("_PID", false), ("1A", false), ("receiver", false),
        ("A B", false),
        ("A=B", false), ("", false), (String(repeating: "A", count: 65), false),
    ])
    func `journal field names are validated`(name: String, isValid: Bool) {
        #expect(Journal.isFieldName(name) == isValid)
    }
}
