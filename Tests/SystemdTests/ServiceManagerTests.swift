import SystemCalls
import Testing

@testable import Systemd

@Suite struct ServiceManagerTests {
    @Test(arguments: [
        ("2 receivers, 3 clients", "STATUS=2 receivers, 3 clients"),
        ("one\nWATCHDOG=trigger", "STATUS=one WATCHDOG=trigger"),
        ("", "STATUS="),
    ])
    func aStatusIsOneAssignment(text: String, expected: String) {
        #expect(ServiceManager.statusAssignment(text) == expected)
    }

    @Test(
        arguments: [
            ([], nil), (["other"], 0), (["other", "varlink"], 1), (["varlink", "varlink"], 0), (["a", "b"], nil),
        ] as [([String], Int?)])
    func theNamedSocketIsTakenOrTheOnlyOne(names: [String], expected: Int?) {
        #expect(ListenSockets.choose("varlink", among: names) == expected)
    }

    @Test func startedByHandThereAreNoSockets() throws {
        #expect(try ListenSockets.take(named: "varlink")?.number == nil)
    }

    @Test(arguments: [
        ("MESSAGE_ID", true), ("RECEIVER", true), ("A1", true), ("_PID", false), ("1A", false), ("receiver", false), ("A B", false),
        ("A=B", false), ("", false), (String(repeating: "A", count: 65), false),
    ])
    func theJournalTakesTheseFieldNames(name: String, taken: Bool) {
        #expect(Journal.isFieldName(name) == taken)
    }
}
