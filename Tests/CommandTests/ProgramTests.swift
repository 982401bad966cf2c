import Glibc
import Testing
import Varlink
import Wire

@testable import sextant

@Suite("The program against a daemon that answers as told")
struct ProgramTests {
    private static let located = FakeDaemon(answers: [DaemonMethod.getLocation: .reply(#"{"location":\#(Sample.locationText),"age":0.31}"#)]
    )

    @Test("locate prints a line, asks as it was told, and ends with 0")
    func locate() throws {
        let outcome = try ProgramTests.located.run(["locate", "--max-age", "5", "--timeout", "1m", "--receiver", "ttyACM0"])
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(outcome.output.hasPrefix("48.117300° N 11.516667° W ±2.4 m · ") && outcome.output.hasSuffix(" · 0.3 s ago\n"))
        #expect(outcome.calls.map(\.parameters) == [["maximumAge": 5, "timeout": 60, "receiver": "ttyACM0"]])
    }

    @Test("locate --json prints the daemon's own words, and where a compass points")
    func locateJSON() throws {
        let outcome = try ProgramTests.located.run(["locate", "--json"])
        let printed = try JSONValue(parsing: Array(outcome.output.utf8))
        let sent = try JSONValue(parsing: Array(Sample.locationText.utf8))
        #expect(printed["location"] == sent && printed["age"] == 0.31)
        #expect(printed["magneticDeclination"] == -2.35 && printed["magneticCourse"] == 256.35)
    }

    @Test("No position ends with 2, and says why on either output")
    func noPosition() throws {
        let refusal = FakeDaemon.Answer.error(LocationUnavailableError.name, #"{"cause":"noFix","detail":"no sky here"}"#)
        let daemon = FakeDaemon(answers: [DaemonMethod.getLocation: refusal])
        let plain = try daemon.run(["locate"])
        #expect(plain.status == 2 && plain.output == "" && plain.errors == "sextant: no position: no sky here\n")
        let json = try daemon.run(["locate", "--json"])
        #expect(json.status == 2 && json.output == #"{"cause":"noFix","detail":"no sky here","locationUnavailable":true}"# + "\n")
    }

    @Test("With its output closed it says so, and does not print into the daemon's connection", arguments: ["locate", "watch"])
    func closedOutput(_ command: String) throws {
        let update = FakeDaemon.Answer.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let daemon = FakeDaemon(answers: ProgramTests.located.answers.merging([DaemonMethod.subscribe: update]) { $1 })
        let outcome = try daemon.run(command == "watch" ? ["watch", "--duration", "5"] : [command], .withoutOutput)
        #expect(outcome.status == 1 && outcome.errors.contains("cannot write to standard output"))
        #expect(outcome.calls.count == 1)
    }

    /// Ctrl-\\ would else leave the terminal as it was drawn, and a recording without its end.
    @Test("A signal that ends programs ends it in order", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(_ signal: Int32) throws {
        let update = FakeDaemon.Answer.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let outcome = try FakeDaemon(answers: [DaemonMethod.subscribe: update]).run(["watch", "--duration", "15"], signal: signal)
        #expect(outcome.status == 0 && outcome.errors == "")
    }

    @Test("Under nohup it outlives the terminal")
    func nohup() throws {
        let update = FakeDaemon.Answer.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let daemon = FakeDaemon(answers: [DaemonMethod.subscribe: update])
        let began = ContinuousClock.now
        let outcome = try daemon.run(["watch", "--duration", "1"], .ignoringHangups, signal: SIGHUP)
        #expect(outcome.status == 0 && ContinuousClock.now - began >= .seconds(1), "\(outcome)")
    }

    @Test("A daemon that hangs up ends with 69")
    func hangUp() throws {
        let outcome = try FakeDaemon(answers: [:]).run(["status"])
        #expect(outcome.status == 69 && outcome.errors.hasPrefix("sextant: sextantd closed the connection"))
    }

    @Test("status, for people and for programs")
    func status() throws {
        let daemon = FakeDaemon(answers: [DaemonMethod.getStatus: .reply(#"{"status":\#(Sample.statusText)}"#)])
        let plain = try daemon.run(["status"])
        #expect(
            plain.output == """
                sextantd       0.1.0, process 812, up 1 d 2 h
                doing          ttyACM0: fix
                socket         /run/sextant/io.sextant
                state          /var/lib/sextant
                configuration  /etc/sextant/sextant.toml
                receivers      1, of which 1 with a fix
                clients        2 connections, 1 stream
                updates        12,345 sent, 0 dropped
                wakeups        15,000, 1.3 for each fix, 9.6 a minute

                """)
        let json = try daemon.run(["status", "--json"])
        #expect(try JSONValue(parsing: Array(json.output.utf8)) == JSONValue(parsing: Array(Sample.statusText.utf8)))
    }

    @Test("receivers as a table; none is 2")
    func receivers() throws {
        let receivers = [
            Sample.receiverText(), Sample.receiverText(state: "busy", detail: "in use by gpsd (pid 812)"),
            Sample.receiverText(isChosen: false),
        ]
        let two = #"{"receivers":[\#(receivers.joined(separator: ","))]}"#
        let outcome = try FakeDaemon(answers: [DaemonMethod.listReceivers: .reply(two)]).run(["receivers"])
        #expect(
            outcome.output == """
                NAME     STATE   BAUD  RATE  FIXES  SENTENCES  DAMAGED  SATELLITES  PORT
                ttyACM0  fixing  9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  says: ANTSTATUS=OK
                  speaks for the device: ±2.4 m
                ttyACM0  busy    9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  says: ANTSTATUS=OK
                  in use by gpsd (pid 812)
                ttyACM0  fixing  9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  says: ANTSTATUS=OK
                  stands by: ±2.4 m

                """)
        let none = try FakeDaemon(answers: [DaemonMethod.listReceivers: .reply(#"{"receivers":[]}"#)]).run(["receivers", "--json"])
        #expect(none.status == 2 && none.output == "" && none.errors.contains("no receiver"))
    }

    @Test("watch without a terminal prints a line for each update, and --duration ends it with 0")
    func watch() throws {
        let daemon = FakeDaemon(answers: [DaemonMethod.subscribe: .reply(Sample.updateText)])
        let outcome = try daemon.run(["watch", "--duration", "1s"])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("2026-11-21T07:22:02.000Z 48.117300° N"))
        #expect(outcome.calls.map(\.parameters) == [["configuration": "automotiveNavigation"]])
        #expect(outcome.calls.map(\.mode) == [.more])
    }

    @Test("watch of a receiver that does not exist ends with 2 instead of trying for ever")
    func watchNothing() throws {
        let refusal = FakeDaemon.Answer.error(NoSuchReceiverError.locationName, #"{"receiver":"ttyUSB9","known":["ttyACM0"]}"#)
        let outcome = try FakeDaemon(answers: [DaemonMethod.subscribe: refusal]).run(["watch", "--receiver", "ttyUSB9", "--json"])
        #expect(outcome.status == 2 && outcome.errors.contains("\"ttyUSB9\"") && outcome.errors.contains("ttyACM0"))
    }

    @Test("Wrong arguments end with 64")
    func usage() throws {
        #expect(try FakeDaemon(answers: [:]).run(["watch", "--duration", "soon"]).status == 64)
    }

    @Test("A socket that is not there ends with 69 and names the mend")
    func noSocket() throws {
        let program = try Program(["locate", "--socket", "/nowhere/sock"])
        while !program.drain() { _ = try Wait.readable(program.openPipes, until: nil) }
        #expect(program.status() == 69 && program.errors.contains("sextantd --socket /nowhere/sock"))
    }

    @Test("simulate says what is wrong like the others")
    func simulateWrong() throws {
        let program = try Program(["simulate", "--rate", "1000"])
        while !program.drain() { _ = try Wait.readable(program.openPipes, until: nil) }
        #expect(program.status() == 64 && program.errors.hasPrefix("sextant: "), "\(program.errors)")
    }

    @Test("simulate tells its port as JSON when asked")
    func simulateJSON() throws {
        let program = try Program(["simulate", "--json", "--duration", "0.1", "--fault", "silence@0s+50ms"])
        while !program.drain() { _ = try Wait.readable(program.openPipes, until: nil) }
        let events = try program.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(events.contains { $0["event"] == "plugged" && $0["port"]?.string?.hasPrefix("/dev/pts/") == true }, "\(events)")
        #expect(events.contains { $0["event"] == "began" && $0["fault"] == "silence" && $0["duration"] == 0.05 }, "\(events)")
        #expect(program.status() == 0 && program.errors.isEmpty, "\(program.errors)")
    }

    @Test("A capture that is not there ends with 66")
    func noCapture() throws {
        let program = try Program(["replay", "/nowhere/x.nmea"])
        while !program.drain() { _ = try Wait.readable(program.openPipes, until: nil) }
        #expect(program.status() == 66 && program.errors.hasPrefix("sextant: there is no capture /nowhere/x.nmea"))
    }

    @Test("doctor against a healthy daemon; its port is not there, so that is what it finds")
    func doctor() throws {
        let daemon = FakeDaemon(answers: [
            DaemonMethod.getStatus: .reply(#"{"status":\#(Sample.statusText)}"#),
            DaemonMethod.listReceivers: .reply(#"{"receivers":[\#(Sample.receiverText())]}"#),
            DaemonMethod.subscribe: .reply(Sample.updateText),
        ])
        let outcome = try daemon.run(["doctor", "--json"])
        let checks = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(checks.map { $0["check"]?.string } == Check.Subject.ofPosition.map(\.rawValue))
        #expect(checks.first?["state"] == "ok")
        #expect(outcome.status == (checks.contains { $0["state"] == "wrong" } ? 2 : 0))
    }
}
