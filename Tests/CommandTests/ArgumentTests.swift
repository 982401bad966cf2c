import ArgumentParser
import Locator
import Positioning
import SextantAPI
import TestSupport
import Testing
import Varlink

@testable import sextant

@Suite("The command line")
struct ArgumentTests {
    @Test func `the bridge that sextant zone starts keeps its state for the user, and prints no JSON`() throws {
        #expect(throws: (any Error).self) { try Sextant.parseAsRoot(["zone", "--follow", "--json"]) }
        let directory = { (values: [String: String]) in ZoneCommand.stateDirectory { values[$0] } }
        #expect(directory(["HOME": "/home/a"]) == "/home/a/.local/state/sextant-zone")
        #expect(directory(["HOME": "/home/a", "XDG_STATE_HOME": "/s"]) == "/s/sextant-zone")
        #expect(directory(["HOME": "/home/a", "STATE_DIRECTORY": "/var/lib/sextant-zone"]) == nil)
    }

    @Test(arguments: [("10", 10.0), ("0.5", 0.5), ("500ms", 0.5), ("90s", 90), ("5m", 300), ("2h", 7200), ("0", 0)])
    func `a duration argument with a unit is parsed into seconds`(text: String, seconds: Double) {
        #expect(TimeArgument(argument: text)?.seconds == seconds)
    }

    @Test(arguments: ["", "s", "-1", "1d", "inf", "nan", "0x10", "1e9", "1 s", "99999999h", "1..2"])
    func `an invalid duration argument is rejected`(text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }

    @Test(arguments: [
        ("150", 150.0), ("0.5m", 0.5), ("150m", 150), ("0.2km", 200), ("0", 0), ("1e3", 1000), ("+200", 200),
        ("1e-1km", 100),
    ])
    func `a length argument with a unit is parsed into metres`(text: String, metres: Double) {
        #expect(MetresArgument(argument: text)?.metres == metres)
    }

    @Test(arguments: ["", "m", "-1", "1ft", "inf", "nan", "0x10", "1 m", "1..2", "e", "1e999", "1e308km", "1-2"])
    func `an invalid length argument is rejected`(text: String) {
        #expect(MetresArgument(argument: text) == nil)
    }

    @Test(arguments: [
        ["locate", "--timeout", "-1"], ["locate", "--timeout=-1"], ["watch", "--duration", "-5m"],
        ["fence", "add", "a", "--here", "-0.2km"], ["watch", "--distance", "-1"], ["simulate", "--seed", "-1"],
    ])
    func `a negative value exits with 64 and the reason`(arguments: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Sextant.parseAsRoot(Sextant.parsable(arguments)) }
        let thrown = try #require(error)
        #expect(Sextant.exitCode(for: thrown).rawValue == ExitStatus.usage.rawValue)
        let first = Sextant.message(for: thrown).prefix { $0 != "\n" }
        #expect(first.contains(" is invalid for '--") && first.hasSuffix(": it must not be negative"), "\(first)")
    }

    @Test(arguments: [
        (["time", "--samples", "-3"], "1 to 100"), (["record", "--baud", "-5"], "bits per second"),
        (["simulate", "--noise", "-1"], "0 or more"), (["watch", "--speed", "-1"], "Please provide one of"),
        (["fence", "add", "a", "--circle", "-33.86,151,x"], "is invalid for '--circle"),
        (["fence", "add", "a", "--polygon", "-33.8,151 -33.9,x"], "is invalid for '--polygon"),
    ])
    func `a negative value that has its own message keeps it`(arguments: [String], hint: String) throws {
        let error = #expect(throws: (any Error).self) { try Sextant.parseAsRoot(Sextant.parsable(arguments)) }
        let message = Sextant.message(for: try #require(error))
        #expect(message.contains(hint) && !message.contains("must not be negative"), "\(message)")
    }

    @Test(arguments: [
        (["locate", "--timeout", "soon"], "seconds"), (["watch", "--duration", "1d"], "5m"),
        (["fence", "add", "a", "--here", "1ft"], "0.2km"), (["record", "--baud", "fast"], "a whole number"),
        (["fence", "add", "a", "--circle", "1,2,3", "--expires", "soon"], "2027-01-31"),
        (["fence", "add", "a", "--circle", "1,2,3", "--metadata", "door"], "door=front"),
        (["fence", "add", "a", "--circle", "1;2;3"], "48.1,11.5,150"),
        (["fence", "add", "a", "--polygon", "1,2"], "\"48.1,11.5 48.2,11.6"),
        (["replay", "--start", "x", "y"], "2027-01-31"),
        (["simulate", "--seed", "x"], "a whole number"), (["simulate", "--rate", "x"], "a number"),
        (["power", "--days", "x"], "a whole number"), (["find", "--limit", "x", "y"], "a whole number"),
        (["visits", "--from", "yesterday"], "2027-01-31"), (["simulate", "--noise", "1ft"], "such as 1.5"),
        (["locate", "--timeout", "6m"], "0 does not wait"), (["locate", "--socket", ""], "--socket must not be empty"),
    ])
    func `an invalid value is refused with what is allowed`(arguments: [String], hint: String) throws {
        let error = #expect(throws: (any Error).self) { try Sextant.parseAsRoot(Sextant.parsable(arguments)) }
        let first = Sextant.message(for: try #require(error)).prefix { $0 != "\n" }
        #expect(first.contains(hint), "\(first)")
    }

    @Test(arguments: [
        (["sattelites"], "sextant sky"), (["satellites"], "sextant sky"), (["positon"], "sextant locate"),
        (["fences"], "sextant fence"), (["nmea"], "sextant tail"), (["permissions"], "sextant grants"),
        (["help", "sattelites"], "sextant sky"), (["fence", "delete"], "sextant fence remove"),
        (["fence", "lsit"], "sextant fence list"),
    ])
    func `a name of another program or a mistyped one is answered with the command`(words: [String], advice: String)
        throws
    {
        let error = #expect(throws: CommandError.self) { try CommandNames.check(words) }
        #expect(error?.description.hasSuffix("did you mean: \(advice)") == true, "\(error?.description ?? "")")
    }

    @Test
    func `an option before the command is answered with its place`() {
        let error = #expect(throws: CommandError.self) {
            try CommandNames.check(["--socket", "/s", "locate", "--json"])
        }
        #expect(error?.description == "--socket follows the command: sextant locate --socket /s --json")
        #expect(error?.exitStatus == .usage)
        #expect(throws: Never.self) { try CommandNames.check(["--version"]) }
        #expect(throws: Never.self) { try CommandNames.check(["--generate-completion-script", "bash"]) }
    }

    @Test(arguments: [["simulate", "/nowhere.nmea"], ["demo", "/nowhere.nmea"], ["replay", "/nowhere.nmea"]])
    func `a capture that does not exist is named, and exits with 66`(words: [String]) throws {
        let program = try Program(words)
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        #expect(program.status() == 66)
        #expect(
            program.errors.hasPrefix("sextant: cannot read the capture /nowhere.nmea: no such file"),
            "\(program.errors)")
    }

    @Test(arguments: [["fence", "help"], ["fence", "help", "add"], ["help", "fence"], ["doctor", "fence", "help"]])
    func `help after a command shows its help`(words: [String]) throws {
        let outcome = try Program(words)
        while !outcome.drain() { _ = try Poller.readable(outcome.openPipes, until: nil) }
        let isFence = words != ["doctor", "fence", "help"]
        #expect(outcome.status() == (isFence ? 0 : 69), "\(outcome.errors)")
        #expect(!isFence || outcome.output.contains("USAGE: sextant fence"), "\(outcome.output) \(outcome.errors)")
    }

    @Test
    func `tail names the types of sentences that it does not know`() throws {
        let arguments = ["tail", "RMC", "gnrmc", "XYZ", "GPXYZ", "PUBX", "AIVDM", "vdo", "GSV", "rx"]
        let command = try #require(try Sextant.parseAsRoot(arguments) as? TailCommand)
        #expect(command.unknownTypes == ["XYZ", "GPXYZ", "RX"])
    }

    @Test
    func `the socket flag wins over the environment, then the default applies`() {
        #expect(DaemonOptions.socket(option: "/a", environment: "/b") == "/a")
        #expect(DaemonOptions.socket(option: nil, environment: "/b") == "/b")
        #expect(DaemonOptions.socket(option: nil, environment: "") == "/run/sextant/io.sextant")
        #expect(DaemonOptions.socket(option: nil, environment: nil) == "/run/sextant/io.sextant")
    }

    @Test
    func `watch parses all its options`() throws {
        let arguments = [
            "watch", "--configuration", "fitness", "--receiver", "ttyACM0", "--duration", "5m", "--speed", "kn",
            "--json", "--socket", "/s",
        ]
        let command = try #require(try Sextant.parseAsRoot(arguments) as? WatchCommand)
        #expect(command.configuration == .fitness && command.receiver == "ttyACM0" && command.duration?.seconds == 300)
        #expect(command.unitOptions.speed == .kn && command.output.isJSON && command.daemon.socket == "/s")
        #expect((try Sextant.parseAsRoot(["watch"]) as? WatchCommand)?.configuration == .automotiveNavigation)
    }

    @Test
    func `watch and replay accept the same stream options`() throws {
        let arguments = [
            "--accuracy", "kilometre", "--distance", "25", "--interval", "2m", "--delay", "90s", "--significant",
            "--passive",
        ]
        let expected = SubscribeParameters(
            configuration: .fitness, desiredAccuracy: .kilometre, distanceFilter: 25, minimumInterval: 120,
            maximumDelay: 90,
            significantChange: true, passive: true)
        let watch = try #require(try Sextant.parseAsRoot(["watch"] + arguments) as? WatchCommand)
        let replay = try #require(try Sextant.parseAsRoot(["replay"] + arguments + ["x"]) as? ReplayCommand)
        #expect(watch.streamOptions.parameters(.fitness) == expected)
        #expect(replay.streamOptions.parameters(.fitness) == expected)
    }

    @Test
    func `every command accepts --json and daemon commands accept --socket`() throws {
        for name in ["watch", "locate", "status", "receivers", "sky", "doctor"] {
            _ = try Sextant.parseAsRoot([name, "--json", "--socket", "/s"])
        }
        _ = try Sextant.parseAsRoot(["record", "--json", "--device", "/dev/ttyUSB0", "-o", "x.nmea"])
    }

    @Test(arguments: [
        (["watch", "--configuration", "car"], "automotiveNavigation"),
        (["watch", "--duration", "soon"], "--duration"),
        (["locate", "--timeout", "10m"], "5m at most"),
        (["replay", "--emit", "updates", "--format", "gpsd", "x"], "--emit fixes"),
        (["watch", "--distance=-1"], "metres"), (["replay", "--delay", "2h", "x"], "an hour at most"),
        (["replay", "-", "-"], "only once"), (["replay"], "files"), (["record", "--baud", "0"], "bits per second"),
        (["replay", "--start", "yesterday", "x"], "--start"), (["fly"], "fly"),
    ])
    func `an invalid command line exits with 64 and a hint`(arguments: [String], hint: String) throws {
        let error = #expect(throws: (any Error).self) { try Sextant.parseAsRoot(arguments) }
        let thrown = try #require(error)
        #expect(Sextant.exitCode(for: thrown).rawValue == ExitStatus.usage.rawValue)
        #expect(Sextant.fullMessage(for: thrown).contains(hint))
    }

    /// The long names of the displayed options of each command, by its words: "fence add".
    private static func options(of command: JSONValue, named words: String = "") -> [String: Set<String>] {
        let displayed = (command["arguments"]?.array ?? []).filter { $0["shouldDisplay"]?.bool ?? true }
        let names = displayed.flatMap { $0["names"]?.array ?? [] }.filter { $0["kind"]?.string == "long" }
        return (command["subcommands"]?.array ?? []).reduce(
            into: [words: Set(names.compactMap { $0["name"]?.string })]
        ) { options, command in
            let name = command["commandName"]?.string ?? ""
            options.merge(Self.options(of: command, named: words.isEmpty ? name : "\(words) \(name)")) { $1 }
        }
    }

    /// The text of the manual on each of these commands: from `.It Cm fence add` to the next one.
    private static func manual(of commands: some Collection<String>) throws -> [String: String] {
        let page = String(
            decoding: try PackageFiles.read("\(PackageFiles.package)/packaging/man/sextant.1"), as: UTF8.self)
        var texts: [String: String] = [:]
        var current = ""
        for line in page.split(separator: "\n") {
            let words = line.hasPrefix(".It Cm ") ? line.split(separator: " ").dropFirst(2) : []
            let names = [words.prefix(2), words.prefix(1)].map { $0.joined(separator: " ") }
            if line.hasPrefix(".S") { current = "" }
            current = names.first { !$0.isEmpty && commands.contains($0) } ?? current
            texts[current, default: ""] += "\(line)\n"
        }
        return texts
    }

    @Test
    func `the manual of every command has every option of it`() throws {
        let dump = try JSONValue(parsing: Array(Sextant._dumpHelp().utf8))
        let options = Self.options(of: try #require(dump["command"]))
        let texts = try Self.manual(of: options.keys)
        #expect(Set(options.values.joined()).count > 60)
        // What many commands have is described once, as are the options of streams.
        let common: Set = ["help", "version", "json", "socket", "program"]
        for option in common {
            #expect(texts.values.contains { $0.contains("Fl -\(option)") }, "--\(option) is in no part of the manual")
        }
        for (command, names) in options {
            let parent = command.prefix { $0 != " " }
            let text =
                (texts[command] ?? texts[String(parent)] ?? "") + (command == "replay" ? texts["watch"] ?? "" : "")
            // Options are written as `.Fl -tolerance` or `.Fl o , -output`.
            let described = Set(text.matches(of: /Fl (?:\w , )?-([a-z][a-z-]*)/).map { String($0.output.1) })
            #expect(names.subtracting(common).subtracting(described).sorted() == [], "\(command)")
        }
    }

    @Test
    func `the help lists the commands and every exit status`() {
        let help = Sextant.helpMessage(columns: 100)
        for command in ["simulate", "demo", "watch", "sky", "locate", "record", "replay", "doctor"] {
            #expect(help.contains(command))
        }
        for status in ExitStatus.allCases {
            #expect(help.contains("\(status.rawValue)") && help.contains(status.meaning))
        }
    }

    /// A line of an example that the terminal wraps begins in the first column.
    @Test
    func `no example of a help is wrapped at 80 columns`() {
        func check(_ command: any ParsableCommand.Type) {
            for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(DisplayWidth.width(of: String(line)) < 80, "\(line)")
            }
            for subcommand in command.configuration.subcommands { check(subcommand) }
        }
        check(Sextant.self)
    }

    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func `a completion script is generated for each shell`(shell: CompletionShell) {
        #expect(Sextant.completionScript(for: shell).contains("automotiveNavigation"))
    }

    @Test func `a position in the south is not an option`() throws {
        for position in ["-33.8,151.2", "-.5,-70"] {
            let arguments = Sextant.parsable(["where", position, "--json"])
            let command = try #require(try Sextant.parseAsRoot(arguments) as? WhereCommand)
            #expect(command.position == (try PositionArgument.parse(position)) && command.output.isJSON)
        }
        #expect(Sextant.parsable(["where", "--json", "-h"]) == ["where", "--json", "-h"])
        #expect(Sextant.parsable(["find", "-1"]) == ["find", "-1"])
        #expect(Sextant.parsable(["fence", "watch", "--", "--x", "-1"]) == ["fence", "watch", "--", "--x", "-1"])
    }
}
