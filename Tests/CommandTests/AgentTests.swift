import Chronology
import SextantAPI
import SextantServiceAPI
import TestSupport
import Testing
import Varlink

@testable import sextant

@Suite("sextant agent")
struct AgentTests {
    private static let map = """
        {"number":7,"program":"4242:user:app-org.example.Map.service","application":"org.example.Map",\
        "requirement":"whenInUse","purpose":"navigation","usageDescription":"Shows your road."}
        """

    private func daemon(
        asking programs: [String] = [map], then replies: [String] = [], answering: FakeDaemon.CallResult = .reply("{}")
    ) -> FakeDaemon {
        FakeDaemon(results: [
            AgentMethods.serve.name: .replies(["{}"] + programs.map { #"{"request":\#($0)}"# } + replies),
            AgentMethods.answer.name: answering,
        ])
    }

    private func answers(of calls: [Call]) -> [[String: JSONValue]] {
        calls.filter { $0.method == AgentMethods.answer.name }.map(\.parameters)
    }

    private func answers(of outcome: FakeDaemon.Outcome) -> [[String: JSONValue]] {
        answers(of: outcome.calls)
    }

    @Test(arguments: [
        ("a", "always"), ("u", "whenInUse"), ("D", "denied"), ("ur", "whenInUse,reduced"),
        ("tu", "whenInUse,temporary"),
        ("ar", "always,reduced"), (" u r t ", "whenInUse,reduced,temporary"), ("dt", "denied,temporary"),
    ])
    func `letters and words are the same answers`(letters: String, words: String) throws {
        let answer = try #require(AgentAnswer(words: words))
        #expect(AgentAnswer(letters: letters) == answer)
    }

    @Test(arguments: ["", "x", "au", "dr", "uu", "yes", "ad", "r", "t", "rt"])
    func `other letters are no answer`(text: String) { #expect(AgentAnswer(letters: text) == nil) }

    @Test(arguments: [
        "", "yes", "always,", "Always", "reduced", "always reduced", "denied,reduced", "whenInUse,reduced,reduced",
        "always,forever", "always,full,reduced", "denied,full",
    ])
    func `another line of a command is no answer`(text: String) { #expect(AgentAnswer(words: text) == nil) }

    @Test
    func `a typed answer is sent and printed`() throws {
        let outcome = try daemon().run(["agent"], typing: (after: "Type a letter", text: "urt\n")) {
            $0.output.hasSuffix("only this time\n")
        }
        #expect(
            answers(of: outcome)
                == [["number": 7, "authorization": "whenInUse", "accuracy": "reduced", "temporary": true]])
        #expect(
            outcome.output.hasPrefix(
                """

                May this program know the location while it is in use?
                  program      4242:user:app-org.example.Map.service
                  user         4242
                  application  org.example.Map
                  purpose      "navigation", as the program states it
                  usage        "Shows your road.", as the program states it
                Type a letter
                """))
        #expect(
            outcome.output.hasSuffix(
                "4242:user:app-org.example.Map.service: while in use, reduced to an area, only this time\n"))
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test
    func `lines that were typed before their program was shown do not count`() throws {
        let second = #"{"number":8,"program":"4243","requirement":"always"}"#
        let outcome = try daemon(asking: [AgentTests.map, second]).run(
            ["agent"], typing: (after: "Type a letter", text: "u\na\n")
        ) { $0.output.contains("  program      4243") }
        #expect(answers(of: outcome).map { $0["number"] } == [7])
        #expect(outcome.output.contains("  waiting      1 more") && outcome.output.contains("  program      4243"))
    }

    @Test
    func `text that is no answer shows the choices again`() throws {
        let outcome = try daemon().run(["agent"], typing: (after: "Type a letter", text: "yes\n")) { progress in
            progress.output.split(separator: "\n").count { $0 == AgentText.choices[...] } == 2
        }
        #expect(answers(of: outcome).isEmpty)
        #expect(outcome.output.split(separator: "\n").count { $0 == AgentText.choices[...] } == 2)
    }

    @Test
    func `a program that needs no answer any more disappears with a note`() throws {
        let note = "4242:user:app-org.example.Map.service needs no answer any more"
        var daemon = daemon()
        daemon.results[AgentMethods.serve.name] = .repliesInParts(
            ["{}", #"{"request":\#(AgentTests.map)}"#], after: "asking", [#"{"withdrawn":7}"#])
        let outcome = try daemon.run(["agent", "--exec", "echo asking >&2; exec sleep 30"]) { $0.errors.contains(note) }
        #expect(outcome.status == 0 && answers(of: outcome).isEmpty)
        let late = try self.daemon(
            answering: .error(Interface.agent.error(named: "NoSuchRequest"), #"{"number":7}"#)
        ).run(["agent", "--exec", "echo always"]) { $0.errors.contains(note) }
        #expect(late.status == 0 && late.output == "")
    }

    @Test
    func `without a terminal and a command the agent ends with 1`() throws {
        let outcome = try daemon().run(["agent", "--duration", "5"])
        #expect(outcome.status == 1 && outcome.errors.contains("sextant agent --exec COMMAND"))
    }

    @Test
    func `a command gets the program and gives the answer with its first line`() throws {
        let command =
            #"grep -q '"number":7' && test "$SEXTANT_PURPOSE" = navigation && "#
            + #"test "$SEXTANT_USAGE_DESCRIPTION" = "Shows your road." && "#
            + #"test "$SEXTANT_APPLICATION $SEXTANT_NUMBER" = "org.example.Map 7" && echo "always,temporary" && "#
            + "echo denied"
        let outcome = try daemon().run(["agent", "--exec", command]) { $0.output.hasSuffix("\n") }
        #expect(answers(of: outcome) == [["number": 7, "authorization": "always", "temporary": true]])
        #expect(outcome.output == "4242:user:app-org.example.Map.service: always, only this time\n")
    }

    @Test(arguments: ["true", "echo yes", "echo always; exit 1", "kill $$"])
    func `a command that fails or prints anything else gives no answer`(command: String) throws {
        let outcome = try daemon().run(["agent", "--exec", command]) { $0.errors.contains("asked about again") }
        #expect(outcome.status == 0 && answers(of: outcome).isEmpty && outcome.errors.contains("no answer about"))
    }

    @Test
    func `commands run one at a time and each program is asked about once`() throws {
        let second = #"{"number":8,"program":"4243","requirement":"always"}"#
        let scratch = try Scratch()
        // A second command beside the first would fail.
        let command = "mkdir \(scratch("lock")) && echo denied && rmdir \(scratch("lock"))"
        let outcome = try daemon(asking: [AgentTests.map, second, AgentTests.map]).run(["agent", "--exec", command]) {
            $0.output.contains("4243: denied")
        }
        #expect(answers(of: outcome).map { $0["number"] } == [7, 8])
    }

    @Test
    func `an answer that is not saved ends nothing, and the user is asked again later`() throws {
        let refused = Interface.agent.error(named: "PersistenceUnavailable")
        let outcome = try daemon(answering: .error(refused, #"{"reason":"the disk is full"}"#)).run(
            ["agent", "--exec", "echo always"]
        ) { $0.errors.contains("asked about again") }
        #expect(outcome.status == 0 && answers(of: outcome).count == 1 && outcome.output == "")
    }

    @Test
    func `a program without an answer waits behind the others for a minute`() throws {
        func asked(_ number: Int) throws -> AgentRequest {
            try Sample.read(#"{"number":\#(number),"program":"4242","requirement":"whenInUse"}"#)
        }
        var queue = AgentQueue()
        queue.add(try asked(1))
        queue.add(try asked(2))
        let start = Instant.zero + .seconds(10)
        #expect(queue.beginNext(at: start)?.number == 1)
        _ = queue.finish()
        queue.postpone(try asked(1), at: start)
        queue.add(try asked(1))
        #expect(queue.beginNext(at: start)?.number == 2 && queue.deadline == start + AgentQueue.retryInterval)
        _ = queue.finish()
        #expect(queue.beginNext(at: start + .seconds(59)) == nil)
        #expect(queue.beginNext(at: start + .seconds(60))?.number == 1 && queue.deadline == nil)
        queue.postpone(try asked(3), at: start)
        #expect(queue.withdraw(3) == nil && queue.deadline == nil)
    }

    @Test
    func `a program that may not be an agent exits with 77`() throws {
        let refusal = FakeDaemon.CallResult.error(
            Interface.agent.error(named: "NotAllowed"), #"{"detail":"the application x cannot be an agent"}"#)
        let outcome = try FakeDaemon(results: [AgentMethods.serve.name: refusal]).run(["agent"])
        #expect(outcome.status == 77 && outcome.errors == "sextant: the application x cannot be an agent\n")
    }
}
