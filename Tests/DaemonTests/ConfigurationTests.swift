import Chronology
import Glibc
import Logging
import TestSupport
import Testing
import VarlinkClient

@testable import sextantd

extension WholeDaemon {
    @Suite struct Configuration {
        /// A configuration text, its wrong line and the key.
        struct Mistake: CustomTestStringConvertible {
            let text: String
            let line: Int
            let key: String?
            var testDescription: String { Sending(text).testDescription }

            init(_ text: String, _ line: Int, _ key: String?) { (self.text, self.line, self.key) = (text, line, key) }
        }

        /// The command line reads the same variable, so one setting configures both.
        @Test func `the socket flag wins over the environment, which wins over the file`() throws {
            let scratch = try Scratch()
            let file = try scratch.write(
                "[service]\nsocket = \"\(scratch("c"))\"\n[receivers]\ndiscover = false\n", to: "sextant.toml")
            let words = [try Programs.path(of: "sextantd"), "--config", file, "--state", scratch("state")]
            for (flags, place) in [([], "b"), (["--socket", scratch("a")], "a")] as [([String], String)] {
                let process = try ChildProcess(
                    words + flags, environment: ["SEXTANT_SOCKET": scratch("b")], record: scratch("log"))
                defer { process.destroy() }
                try waitUntil("the socket \(place)") { (try? BlockingClient.connect(path: scratch(place))) != nil }
            }
        }

        @Test(arguments: [
            Mistake("[service]\nsocket = 5\n", 2, "service.socket"),
            Mistake("[service]\n\n# a comment\nsocket = \"run/sextant\"\n", 4, "service.socket"),
            Mistake("[service]\nstate = \"\"\n", 2, "service.state"),
            Mistake("[service]\nlog_level = \"loud\"\n", 2, "service.log_level"),
            Mistake("[service]\nmax_connections_per_user = 0\n", 2, "service.max_connections_per_user"),
            Mistake("[service]\nmax_connections = 1.5\n", 2, "service.max_connections"),
            Mistake("[service]\nmax_updates_per_second = 5\n", 2, "service.max_updates_per_second"),
            Mistake("[service]\nmax_connections = 99999999999\n", 2, "service.max_connections"),
            Mistake("[monitors]\nmax_conditions_per_program = -1\n", 2, "monitors.max_conditions_per_program"),
            Mistake("[monitors]\nmax_conditions = \"many\"\n", 2, "monitors.max_conditions"),
            Mistake("[monitors]\nquota = 5\n", 2, "monitors.quota"),
            Mistake("[monitors]\nreaders = [\"no user here\"]\n", 2, "monitors.readers"),
            Mistake("[monitors]\nreaders = [\"user:x.service\"]\n", 2, "monitors.readers"),
            Mistake("[monitors]\neditors = \"sextant-web.service\"\n", 2, "monitors.editors"),
            Mistake("[station]\nlatitude = 91\n", 2, "station.latitude"),
            Mistake("[station]\nlatitude = 1\nlongitude = -180.1\n", 3, "station.longitude"),
            Mistake("[station]\nlatitude = 1\naccuracy = 3\n", 1, "station"),
            Mistake("[station]\nlatitude = 1\nlongitude = 2\n", 1, "station"),
            Mistake("[station]\nlatitude = 1\nlongitude = 2\naccuracy = 0\n", 4, "station.accuracy"),
            Mistake("[station]\nlatitude = nan\n", 2, "station.latitude"),
            Mistake("[station]\nlatitude = 1\nlongitude = 2\naccuracy = 3\nname = \"a b\"\n", 5, "station.name"),
            Mistake("[station]\nheight = 3\n", 2, "station.height"),
            Mistake("[motion]\ntrust = true\n", 2, "motion.trust"),
            Mistake("[motion]\nreporters = [\"no user here\"]\n", 2, "motion.reporters"),
            Mistake("[motion]\nsensors = []\n", 2, "motion.sensors"),
            Mistake("[motion]\nsource = 1\n", 2, "motion.source"),
            Mistake("[assistance]\nprediction = 1\n", 2, "assistance.prediction"),
            Mistake("[assistance]\ntoken = \"a\"\n", 2, "assistance.token"),
            Mistake("[[motion.source]]\nname = \"a b\"\n", 2, "motion.source.name"),
            Mistake("[[motion.source]]\nname = \"a\"\nkind = \"gps\"\n", 3, "motion.source.kind"),
            Mistake("[[motion.source]]\nname = \"a\"\nkind = \"iio\"\ndevice = \"x\"\n", 4, "motion.source.device"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"can\"\ndevice = \"/dev/can0\"\n", 4, "motion.source.device"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"can\"\ndevice = \"can0-of-a-vehicle\"\n", 4,
                "motion.source.device"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"gpio\"\ndevice = \"/dev/gpiochip0\"\nline = -1\n", 5,
                "motion.source.line"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"input\"\ndevice = \"/dev/x\"\n", 3, "motion.source.kind"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"iio\"\ndevice = \"/dev/x\"\nline = 1\n", 5,
                "motion.source.line"),
            Mistake(
                "[[motion.source]]\nname = \"a\"\nkind = \"iio\"\ndevice = \"/dev/x\"\n[[motion.source]]\n"
                    + "name = \"a\"\nkind = \"iio\"\ndevice = \"/dev/y\"\n", 6, "motion.source.name"),
            Mistake(
                (0..<17).map { "[[motion.source]]\nname = \"a\($0)\"\nkind = \"can\"\ndevice = \"can\($0)\"\n" }
                    .joined(), 65, "motion.source"),
            Mistake("[track]\nkeep = \"11 years\"\n", 2, "track.keep"),
            Mistake("[visits]\nkeep = 90\n", 2, "visits.keep"),
            Mistake("[visits]\nkeep = \"20 years\"\n", 2, "visits.keep"),
            Mistake("[visits]\ndays = 90\n", 2, "visits.days"),
            Mistake("[service]\nlog-level = \"info\"\n", 2, "service.log-level"),
            Mistake("[receivers]\ndiscover = true\n[servce]\nsocket = \"/a\"\n", 3, "servce"),
            Mistake("service = 3\n", 1, "service"),
            Mistake("service.socket = 7\n", 1, "service.socket"),
            Mistake("service = { socket = 7 }\n", 1, "service.socket"),
            Mistake("[service]\n\"socket\" = 7\n", 2, "service.socket"),
            Mistake("[service] # a comment\n\"soc\\u006bet\" = 7\n", 2, "service.socket"),
            Mistake("[visits]\n[service]\nlog_level = \"\"\"\n[visits]\nkeep = 1\"\"\"\n", 3, "service.log_level"),
            Mistake("[[receiver]]\ndevice = \"/a\"\n[[receiver]]\n", 3, "receiver"),
            Mistake("[[permissions.grant]]\nuser = 1\n[[permissions.grant]]\n\nuse = 1\n", 5, "permissions.grant.use"),
            Mistake(
                "[[permissions.grant]]\nuser = 1\ndefault_accuracy = \"\"\n", 3, "permissions.grant.default_accuracy"),
            Mistake("[receivers]\ndiscover = \"yes\"\n", 2, "receivers.discover"),
            Mistake("[receivers]\npower = \"some\"\n", 2, "receivers.power"),
            Mistake("[receivers]\nrescue = \"no\"\n", 2, "receivers.rescue"),
            Mistake("[receivers]\nkeep_warm = \"2\"\n", 2, "receivers.keep_warm"),
            Mistake("[receivers]\nkeep_warm = \"5 min\"\n", 2, "receivers.keep_warm"),
            Mistake("[receivers]\nkeep_warm = 7200\n", 2, "receivers.keep_warm"),
            Mistake("[[receiver]]\ndevice = \"/a\"\nkeep_warm = \"8 d\"\n", 3, "receiver.keep_warm"),
            Mistake("[receivers]\ndicsover = true\n", 2, "receivers.dicsover"),
            Mistake("[[receivers]]\ndiscover = true\n", 1, "receivers"),
            Mistake("receiver = \"/dev/ttyS0\"\n", 1, "receiver"),
            Mistake("[receiver]\ndevice = \"/dev/ttyS0\"\n", 1, "receiver"),
            Mistake("[[receiver]]\nbaud = 9600\n", 1, "receiver"),
            Mistake(
                "[[receiver]]\ndevice = \"/a\"\nbaud = 9600\n[[receiver]]\ndevice = \"/b\"\nbaud = 9601\n", 6,
                "receiver.baud"),
            Mistake("[[receiver]]\ndevice = \"ttyS0\"\n", 2, "receiver.device"),
            Mistake("[[receiver]]\ndevice = \"/a\"\nname = \"\"\n", 3, "receiver.name"),
            Mistake("[[receiver]]\ndevice = \"/a\"\npassive = 1\n", 3, "receiver.passive"),
            Mistake("[[receiver]]\ndevice = \"/a\"\nspeed = 9600\n", 3, "receiver.speed"),
            Mistake(
                "[[receiver]]\ndevice = \"/a\"\n[[receiver]]\nname = \"b\"\ndevice = \"/a\"\n", 5, "receiver.device"),
            Mistake(
                "[[receiver]]\ndevice = \"/a\"\nname = \"b\"\n[[receiver]]\ndevice = \"/c\"\nname = \"b\"\n", 6,
                "receiver.name"),
            Mistake("[service]\nsocket = /run/sextant\n", 2, nil),
            Mistake("[service\n", 1, nil),
            Mistake("[service]\nsocket = \"/a\"\nsocket = \"/b\"\n", 3, nil),
            Mistake("\u{0}\u{1}ELF", 1, nil),
            Mistake("[receivers]\ndiscover = tru\n", 2, nil),
            Mistake("[service]\nsocket = \"/\(String(repeating: "s", count: 107))\"\n", 2, "service.socket"),
            Mistake("[service]\nsocket = \"/a\\u0001b\"\n", 2, "service.socket"),
            Mistake("[[receiver]]\ndevice = \"/dev/a\\nb\"\n", 2, "receiver.device"),
            Mistake("[[receiver]]\ndevice = \"/a\"\nname = \"a\\u001bb\"\n", 3, "receiver.name"),
        ])
        func `a configuration error names file, line and key`(_ mistake: Mistake) throws {
            let scratch = try Scratch()
            let path = try scratch.write(mistake.text, to: "sextant.toml")
            for flags in [["--check-config"], []] {
                let daemon = try run(flags + ["--config", path, "--socket", scratch("socket")], scratch)
                #expect(try daemon.waitForEnd() == .code(78))
            }
            let lines = Scratch.text(of: scratch("log")).split(separator: "\n")
            let place = "sextantd: \(path):\(mistake.line): " + (mistake.key.map { "\($0): " } ?? "")
            #expect(
                lines.allSatisfy { $0.hasPrefix(place) } && lines.count == 2,
                "\(lines.joined(separator: "\n")) instead of \(place)")
        }

        @Test func `an unreadable configuration file is named`() throws {
            let scratch = try Scratch()
            for path in [scratch("nowhere.toml"), scratch.path] {
                let daemon = try run(["--check-config", "--config", path], scratch)
                #expect(try daemon.waitForEnd() == .code(78))
                #expect(daemon.output.contains(path), "\(daemon.output)")
            }
        }

        /// A truncated or guessed text would be a different configuration.
        @Test func `a configuration that cannot be read completely is rejected`() throws {
            let scratch = try Scratch()
            let long = try scratch.write(
                String(repeating: "#\n", count: 1 << 19) + "[receivers]\ndicsover = true\n", to: "long.toml")
            let latin = scratch("latin.toml")
            let file = try #require(fopen(latin, "w"))
            let bytes = [UInt8]("[[receiver]]\nname = \"D".utf8) + [0xE4, 0x22, 0x0A]
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
            mkfifo(scratch("pipe"), 0o600)
            // Reading and freeing deep values recurses.
            let names = Array(repeating: "a", count: 2000).joined(separator: ".")
            let deepKey = try scratch.write(
                "#\n\(Array(repeating: names, count: 50).joined(separator: ".")) = 1\n", to: "key.toml")
            let deepValue = try scratch.write("\(names) = [\n[\n[\n[\n[1]]]]]\n", to: "value.toml")
            for (path, words) in [
                (long, "\(long): is longer"), (latin, "\(latin):2: is not UTF-8"),
                (scratch("pipe"), "must be a regular file"),
                (deepKey, "\(deepKey):2: the line is longer than the limit of 4096 bytes"),
                (deepValue, "\(deepValue):5: Error while parsing value: exceeded maximum nested value depth of 4\n"),
            ] {
                let daemon = try run(["--check-config", "--config", path], scratch)
                #expect(try daemon.waitForEnd() == .code(78))
                #expect(daemon.output.contains(words), "\(daemon.output)")
            }
        }

        @Test(arguments: ["--device", "--socket", "--state", "--config"]) func `an empty path argument is rejected`(
            _ flag: String
        )
            throws
        {
            let scratch = try Scratch()
            let flags = ["--device", scratch("none"), "--socket", scratch("socket"), "--state", scratch("state")]
            let daemon = try run(flags + [flag, ""], scratch)
            #expect(try daemon.waitForEnd() == .code(64))
            #expect(daemon.output.contains("\(flag) needs a path"), "\(daemon.output)")
        }

        @Test func `a reload rejects a pipe without blocking`() throws {
            let scratch = try Scratch()
            try TestDaemon.run(scratch: scratch) { daemon in
                unlink(scratch("sextant.toml"))
                mkfifo(scratch("sextant.toml"), 0o600)
                daemon.process.send(SIGHUP)
                try waitUntil("the reload being rejected") {
                    daemon.logged("reload failed, keeping the current configuration") == 1
                }
                #expect(try daemon.receivers().isEmpty)
            }
        }

        @Test func `a reload keeps settings that need a restart, and applies the others`() throws {
            let scratch = try Scratch()
            let path = try scratch.write("[receivers]\nkeep_warm = \"2 h\"\n", to: "sextant.toml")
            let sources = SettingsSources(file: path)
            let first = try sources.load()
            var configuration = ConfigurationReloader(sources, settings: first)
            let text = """
                [service]
                socket = "/run/other"
                state = "/var/other"
                max_connections = 7
                [receivers]
                power = "off"
                keep_warm = "3 h"
                """
            try scratch.write(text, to: "sextant.toml")
            var changed = first
            (changed.maxConnections, changed.keepWarm) = (7, .seconds(3 * 3600))
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            #expect(configuration.reload(log) && configuration.settings == changed)
            try scratch.write("[service]\nsocket = 5\n", to: "sextant.toml")
            #expect(!configuration.reload(log) && configuration.settings == changed)
        }

        @Test func `--check-config reports a valid file`() throws {
            let scratch = try Scratch()
            let path = try scratch.write(
                """
                [service]
                socket = "/run/sextant/io.sextant"  # where clients connect
                log_level = "debug"
                max_connections_per_user = 5
                max_updates_per_second = 50
                [receivers]
                discover = false
                power = "off"
                keep_warm = "2 h"
                [monitors]
                max_conditions_per_program = 0
                max_conditions = 5000
                [[receiver]]
                device = "/dev/ttyAMA0"
                keep_warm = "90min"
                baud = 9600
                passive = true
                name = "roof"
                [[receiver]]
                device = "/dev/ttyAMA1"
                """, to: "sextant.toml")
            let daemon = try run(["--check-config", "--config", path], scratch)
            #expect(try daemon.waitForEnd() == .code(0))
            #expect(daemon.output == "good: \(path)\n")
        }

        @Test(arguments: [
            ("2 h", 7200.0), ("90min", 5400), ("1.5 h", 5400), ("7 d", 604_800), ("600 s", 600), ("2", nil), ("h", nil),
            ("", nil),
            ("-1 h", nil), ("1e3 s", nil), ("nan s", nil), ("2 hours", nil), ("1.2.3 s", nil),
            ("99999999999999999999 d", nil),
        ])
        func `a duration is a number with a unit`(_ text: String, _ seconds: Double?) {
            #expect(DurationText.parse(text)?.seconds == seconds)
        }

        private func run(_ flags: [String], _ scratch: Scratch) throws -> ChildProcess {
            try ChildProcess([Programs.path(of: "sextantd")] + flags, record: scratch("log"))
        }
    }
}
