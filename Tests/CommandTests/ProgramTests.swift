import Glibc
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink
import VarlinkClient

@testable import sextant

@Suite("The program with a simulated daemon")
struct ProgramTests {
    private static let located = FakeDaemon(results: [
        LocationMethods.getLocation.name: .reply(#"{"location":\#(Sample.locationText),"age":0.31}"#)
    ]
    )

    @Test
    func `locate forwards its options, prints a line and exits with 0`() throws {
        let outcome = try ProgramTests.located.run([
            "locate", "--max-age", "5", "--timeout", "1m", "--receiver", "ttyACM0",
        ])
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(
            outcome.output.hasPrefix("48.117300° N 11.516667° W ±2.4 m · ")
                && outcome.output.hasSuffix(" · 0.3 s ago\n"))
        #expect(outcome.calls.map(\.parameters) == [["maximumAge": 5, "timeout": 60, "receiver": "ttyACM0"]])
    }

    @Test(arguments: [
        (["--units", "nautical"], "48° 07.038′ N 11° 31.000′ W ±2.4 m · altitude 519 m · 23.9 kn WSW · "),
        (
            ["--units", "nautical", "--speed", "ms"],
            "48° 07.038′ N 11° 31.000′ W ±2.4 m · altitude 519 m · 12.3 m/s WSW · "
        ),
        (["--format", "degrees"], "48.117300,-11.516667\n"),
        (["--format", "minutes"], "48° 07.038′ N 11° 31.000′ W\n"),
    ])
    func `locate prints nautical units, or the position alone`(options: [String], start: String) throws {
        let outcome = try ProgramTests.located.run(["locate"] + options)
        #expect(outcome.status == 0 && outcome.output.hasPrefix(start), "\(outcome)")
        #expect(!options.contains("--format") || outcome.output == start)
        #expect(try ProgramTests.located.run(["locate", "--json", "--format", "degrees"]).status == 64)
    }

    @Test
    func `locate prints ASCII in the C locale`() throws {
        let outcome = try ProgramTests.located.run(["locate"], launch: .variables(["LC_ALL=C"]))
        #expect(outcome.output.hasPrefix("48.117300d N 11.516667d W ~2.4 m . altitude 519 m"), "\(outcome)")
        #expect(outcome.output.utf8.allSatisfy { $0 < 128 })
        let refusal = FakeDaemon.CallResult.error(
            "io.sextant.Location.LocationUnavailable", #"{"cause":"noFix","detail":"±5 km in Zürich"}"#)
        let refused = try FakeDaemon(results: [LocationMethods.getLocation.name: refusal])
            .run(["locate"], launch: .variables(["LC_ALL=C"]))
        #expect(refused.errors == "sextant: no position: ~5 km in Zürich\n")
    }

    @Test
    func `dates are in the time zone of the user, with its abbreviation`() throws {
        let update = FakeDaemon.CallResult.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let daemon = FakeDaemon(results: [LocationMethods.subscribe.name: update])
        for (zone, date) in [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "21 Nov 2026 08:22:02 CET"), ("NST3:30", "21 Nov 2026 03:52:02 NST"),
            ("<-12>12", "20 Nov 2026 19:22:02 -12"), ("UTC", "21 Nov 2026 07:22:02 UTC"),
        ] {
            let launch = Program.LaunchMode.variables(["TZ=\(zone)"])
            let plain = try daemon.run(["watch", "--duration", "0.5"], launch: launch)
            #expect(plain.output.hasPrefix(date + " 48.117300° N"), "\(plain)")
            let json = try daemon.run(["watch", "--duration", "0.5", "--json"], launch: launch)
            #expect(json.output.contains(#""timestamp":"2026-11-21T07:22:02.000Z""#))
        }
    }

    @Test
    func `locate --json prints the location and magnetic declination`() throws {
        let outcome = try ProgramTests.located.run(["locate", "--json"])
        let printed = try JSONValue(parsing: Array(outcome.output.utf8))
        let sent = try JSONValue(parsing: Array(Sample.locationText.utf8))
        #expect(printed["location"] == sent && printed["age"] == 0.31)
        #expect(printed["magneticDeclination"] == -2.35 && printed["magneticCourse"] == 256.35)
    }

    @Test
    func `locate without a position exits with 2 and the cause`() throws {
        let refusal = FakeDaemon.CallResult.error(
            "io.sextant.Location.LocationUnavailable", #"{"cause":"noFix","detail":"no sky here"}"#)
        let daemon = FakeDaemon(results: [LocationMethods.getLocation.name: refusal])
        let plain = try daemon.run(["locate"])
        #expect(plain.status == 2 && plain.output == "" && plain.errors == "sextant: no position: no sky here\n")
        let json = try daemon.run(["locate", "--json"])
        #expect(
            json.status == 2
                && json.output == #"{"cause":"noFix","detail":"no sky here","locationUnavailable":true}"# + "\n")
    }

    @Test(arguments: ["locate", "watch"])
    func `a closed standard output is an error that leaves the connection intact`(command: String) throws {
        let update = FakeDaemon.CallResult.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let daemon = FakeDaemon(
            results: ProgramTests.located.results.merging([LocationMethods.subscribe.name: update]) { $1 })
        let outcome = try daemon.run(
            command == "watch" ? ["watch", "--duration", "5"] : [command], launch: .withoutOutput)
        #expect(outcome.status == 1 && outcome.errors.contains("cannot write to standard output"))
        #expect(outcome.calls.count == 1)
    }

    /// Without a handler, Ctrl-\\ would leave the terminal in drawing mode and a recording without
    /// its end.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func `a termination signal ends watch with 0`(signal: Int32) throws {
        let update = FakeDaemon.CallResult.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let outcome = try FakeDaemon(results: [LocationMethods.subscribe.name: update]).run(
            ["watch", "--duration", "15"], signal: signal)
        #expect(outcome.status == 0 && outcome.errors == "")
    }

    @Test
    func `watch under nohup survives a hangup`() throws {
        let update = FakeDaemon.CallResult.reply(#"{"sequence":1,"dropped":0,"location":\#(Sample.locationText)}"#)
        let daemon = FakeDaemon(results: [LocationMethods.subscribe.name: update])
        let began = ContinuousClock.now
        let outcome = try daemon.run(["watch", "--duration", "1"], launch: .ignoringHangups, signal: SIGHUP)
        #expect(outcome.status == 0 && ContinuousClock.now - began >= .seconds(1), "\(outcome)")
    }

    @Test
    func `a daemon that closes the connection ends the program with 69`() throws {
        let outcome = try FakeDaemon(results: [:]).run(["status"])
        #expect(outcome.status == 69 && outcome.errors.hasPrefix("sextant: sextantd closed the connection"))
    }

    @Test
    func `status prints a table and JSON`() throws {
        let daemon = FakeDaemon(results: [ManagerMethods.getStatus.name: .reply(#"{"status":\#(Sample.statusText)}"#)])
        let plain = try daemon.run(["status"])
        #expect(
            plain.output == """
                sextantd       0.1.0, process 812, up 1 d 2 h
                activity       ttyACM0: fix
                socket         /run/sextant/io.sextant
                state          /var/lib/sextant
                configuration  /etc/sextant/sextant.toml
                receivers      1, 1 of them with a fix
                clients        2 connections, 1 stream
                updates        12,345 sent, 0 dropped
                wakeups        15,000, 1.3 per fix, 9.6 per minute

                """)
        var limited: Status = try Sample.read(Sample.statusText)
        (limited.wakeupsPerFix, limited.wakeupsPerMinute) = (nil, nil)
        for count in [nil, 0] {
            (limited.updatesSent, limited.wakeups) = (count, count)
            #expect(!StatusFormatter.lines(limited).contains { $0.hasPrefix("wakeups") || $0.hasPrefix("updates") })
        }
        let json = try daemon.run(["status", "--json"])
        #expect(try JSONValue(parsing: Array(json.output.utf8)) == JSONValue(parsing: Array(Sample.statusText.utf8)))
    }

    @Test
    func `receivers prints a table and exits with 2 when there are none`() throws {
        let receivers = [
            Sample.receiverText(), Sample.receiverText(state: "busy", detail: "in use by gpsd (pid 812)"),
            Sample.receiverText(isPrimary: false),
        ]
        let two = #"{"receivers":[\#(receivers.joined(separator: ","))]}"#
        let outcome = try FakeDaemon(results: [ReceiverMethods.list.name: .reply(two)]).run(["receivers"])
        #expect(
            outcome.output == """
                NAME     STATE  BAUD  RATE  FIXES  SENTENCES  DAMAGED  SATELLITES  PORT
                ttyACM0  fix    9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  reports: ANTSTATUS=OK
                  primary receiver: ±2.4 m
                ttyACM0  busy   9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  reports: ANTSTATUS=OK
                  in use by gpsd (pid 812)
                ttyACM0  fix    9600  1 Hz    128      2,345        3  3 of 5      /dev/ttyACM0
                  u-blox 8 or M8 · USB 1546:01a8
                  reports: ANTSTATUS=OK
                  standby receiver: ±2.4 m

                """)
        // A program with a reduced location gets no satellites.
        let row = ReceiverListText(receivers: [try Sample.receiver(satellites: "")]).canvas(columns: nil).lines(.plain)[
            1]
        #expect(row.hasSuffix("        3  -           /dev/ttyACM0"), "\(row)")
        let none = try FakeDaemon(results: [ReceiverMethods.list.name: .reply(#"{"receivers":[]}"#)]).run([
            "receivers", "--json",
        ])
        #expect(none.status == 2 && none.output == "" && none.errors.contains("no receiver"))
    }

    @Test
    func `receivers names the ports on which none is confirmed, with the cause`() throws {
        let port =
            #"{"name":"ttyUSB0","port":"/dev/ttyUSB0","state":"denied","cause":"permissionDenied","#
            + #""detail":"sextantd cannot open /dev/ttyUSB0"}"#
        let reply = #"{"receivers":[],"unconfirmedPorts":[\#(port)]}"#
        let outcome = try FakeDaemon(results: [ReceiverMethods.list.name: .reply(reply)]).run(["receivers"])
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("ttyUSB0: no receiver: sextantd cannot open /dev/ttyUSB0"))
        #expect(outcome.errors.contains("sextantd has no receiver: sextantd cannot open /dev/ttyUSB0"))
        let json = try FakeDaemon(results: [ReceiverMethods.list.name: .reply(reply)]).run(["receivers", "--json"])
        #expect(json.status == 2)
        let line = try JSONValue(parsing: Array(json.output.utf8))
        #expect(line == .object(["unconfirmedPort": try JSONValue(parsing: Array(port.utf8))]))
    }

    @Test
    func `watch without a terminal prints one line per update until --duration ends`() throws {
        let daemon = FakeDaemon(results: [LocationMethods.subscribe.name: .reply(Sample.updateText)])
        let outcome = try daemon.run(["watch", "--duration", "1s"])
        #expect(outcome.status == 0 && outcome.output.hasPrefix("21 Nov 2026 07:22:02 UTC 48.117300° N"))
        #expect(outcome.calls.map(\.parameters) == [["configuration": "automotiveNavigation"]])
        #expect(outcome.calls.map(\.mode) == [.more])
    }

    @Test
    func `watch of an unknown receiver exits with 2`() throws {
        let refusal = FakeDaemon.CallResult.error(
            NoSuchReceiverError.name(in: .location), #"{"receiver":"ttyUSB9","known":["ttyACM0"]}"#)
        let outcome = try FakeDaemon(results: [LocationMethods.subscribe.name: refusal]).run([
            "watch", "--receiver", "ttyUSB9", "--json",
        ])
        #expect(outcome.status == 2 && outcome.errors.contains("\"ttyUSB9\"") && outcome.errors.contains("ttyACM0"))
    }

    @Test
    func `invalid arguments exit with 64`() throws {
        #expect(try FakeDaemon(results: [:]).run(["watch", "--duration", "soon"]).status == 64)
    }

    @Test
    func `a missing socket exits with 69 and a remedy`() throws {
        let program = try Program(["locate", "--socket", "/nowhere/sock"])
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        #expect(program.status() == 69 && program.errors.contains("sextantd --socket /nowhere/sock"))
    }

    @Test
    func `simulate reports invalid arguments like the other commands`() throws {
        let program = try Program(["simulate", "--rate", "1000"])
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        #expect(program.status() == 64 && program.errors.hasPrefix("sextant: "), "\(program.errors)")
    }

    @Test
    func `simulate refuses a file that is no capture, and replaces one only with --force`() throws {
        func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
            let program = try Program(["simulate"] + arguments)
            while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
            return (program.status(), program.errors)
        }
        let none = try run(["/etc/passwd", "--duration", "0.1"])
        #expect(none.status == 66 && none.errors.contains("/etc/passwd is neither a capture nor a GPX file"))
        let scratch = try Scratch()
        let file = try #require(fopen(scratch("garbage.nmea"), "w"))
        fputs("# Name: at the wrong speed\n# Date: 2026-11-21T07:22:02.000Z\nxx~~x\n", file)
        fclose(file)
        #expect(try run([scratch("garbage.nmea"), "--duration", "0.1"]) == (0, ""))
        let arguments = ["--output", scratch("x.nmea"), "--duration", "1"]
        #expect(try run(arguments) == (0, ""))
        let again = try run(arguments)
        #expect(again.status == 66 && again.errors.contains("x.nmea exists; replace it with --force"))
        #expect(try run(arguments + ["--force"]) == (0, ""))
    }

    @Test
    func `simulate does not take the link of another one`() throws {
        let scratch = try Scratch()
        let arguments = ["simulate", "--link", scratch("gps"), "--duration", "30"]
        let first = try Program(arguments)
        while !first.output.contains(scratch("gps")) {
            _ = try Poller.readable(first.openPipes, until: nil)
            if first.drain() { break }
        }
        let second = try Program(arguments)
        while !second.drain() { _ = try Poller.readable(second.openPipes, until: nil) }
        #expect(second.status() == 1 && second.errors.contains("another sextant simulate"), "\(second.errors)")
        first.send(SIGTERM)
        #expect(first.status() == 0 && access(scratch("gps"), F_OK) != 0, "\(first.errors)")
    }

    private func time(_ locations: [String], _ arguments: [String] = []) throws -> FakeDaemon.Outcome {
        let replies = locations.map { members in
            let location =
                #"{\#(members)"latitude":48,"longitude":11,"horizontalAccuracy":2,"accuracySource":"gst","#
                + #""mode":"3d","quality":"autonomous","receiver":"gps"}"#
            return FakeDaemon.CallResult.reply(#"{"location":\#(location),"age":0.1}"#)
        }
        return try FakeDaemon(results: [LocationMethods.getLocation.name: .inTurn(replies)]).run(["time"] + arguments)
    }

    private static let dated = #""timestamp":"2026-11-21T07:22:02.000Z","#
    private static let simulated = dated + #""simulated":true,"#

    @Test(arguments: [(simulated, "the receiver is simulated", 1), ("", "the receiver sends no date", 8)])
    func `time reports why there is none to compare with`(members: String, reason: String, calls: Int) throws {
        let outcome = try time([members])
        #expect(outcome.status == 2 && outcome.calls.count == calls, "\(outcome.calls.count)")
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test
    func `time waits for a date, and prints its samples before something ends it`() throws {
        let dated = Array(repeating: ProgramTests.dated, count: 9)
        let later = try time(["", ""] + dated, ["--samples", "2"])
        #expect(later.status == 0 && later.output.contains("2 samples"), "\(later)")
        let ended = try time(dated + [ProgramTests.simulated])
        #expect(ended.status == 2 && ended.output.contains(" samples"), "\(ended)")
        #expect(ended.errors.contains("the receiver is simulated"), "\(ended)")
    }

    @Test
    func `simulate --json prints its port and faults as events`() throws {
        let program = try Program(["simulate", "--json", "--duration", "0.1", "--fault", "silence@0s+50ms"])
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        let events = try program.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(
            events.contains { $0["event"] == "plugged" && $0["port"]?.string?.hasPrefix("/dev/pts/") == true },
            "\(events)")
        #expect(
            events.contains { $0["event"] == "began" && $0["fault"] == "silence" && $0["duration"] == 0.05 },
            "\(events)")
        #expect(program.status() == 0 && program.errors.isEmpty, "\(program.errors)")
    }

    @Test(arguments: [["lokate"], ["help", "lokate"], ["fence", "ad"]])
    func `a wrong command exits with 64 and names the similar one`(arguments: [String]) throws {
        let program = try Program(arguments)
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        let similar = arguments.first == "fence" ? "sextant fence add" : "sextant locate"
        #expect(program.status() == 64 && program.errors.contains("did you mean: \(similar)"), "\(program.errors)")
    }

    @Test
    func `a capture without a position exits with 66`() throws {
        let program = try Program(["replay", "/dev/null"])
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        #expect(program.status() == 66 && program.errors.contains("/dev/null is empty"), "\(program.errors)")
    }

    @Test
    func `a file of XML is refused with the formats that are read`() throws {
        let file = try HandlerProcess.memoryFile(containing: Array("<?xml version=\"1.0\"?><kml/>".utf8))
        let error = #expect(throws: CommandError.self) { try FencesFile.read("/proc/self/fd/\(file.number)") }
        #expect(error?.description.contains("fences are read from GeoJSON only") == true)
    }

    @Test
    func `a connection waits for a daemon that starts, but not in a missing directory`() throws {
        var attempts = 0
        let reached = try DaemonOptions.waitForStart { () throws(ClientError) -> Int in
            attempts += 1
            if attempts < 3 { throw ClientError.connecting(path: "/tmp/nothing.sextant", errno: ENOENT) }
            return attempts
        }
        #expect(reached == 3)
        #expect(throws: ClientError.connecting(path: "/nowhere/sock", errno: ENOENT)) {
            try DaemonOptions.waitForStart { () throws(ClientError) -> Int in
                throw ClientError.connecting(path: "/nowhere/sock", errno: ENOENT)
            }
        }
    }

    @Test
    func `a missing capture exits with 66`() throws {
        let program = try Program(["replay", "/nowhere/x.nmea"])
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        #expect(
            program.status() == 66
                && program.errors.hasPrefix("sextant: cannot read the capture /nowhere/x.nmea: no such file"))
    }

    @Test
    func `doctor checks a healthy daemon and prints JSON`() throws {
        let daemon = FakeDaemon(results: [
            ManagerMethods.getStatus.name: .reply(#"{"status":\#(Sample.statusText)}"#),
            ReceiverMethods.list.name: .reply(#"{"receivers":[\#(Sample.receiverText())]}"#),
            LocationMethods.subscribe.name: .reply(Sample.updateText),
        ])
        let outcome = try daemon.run(["doctor", "--json"])
        let checks = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(checks.map { $0["check"]?.string } == Check.Subject.receiverChecks.map(\.rawValue))
        #expect(checks.first?["state"] == "ok")
        #expect(outcome.status == (checks.contains { $0["state"] == "wrong" } ? 2 : 0))
    }
}
