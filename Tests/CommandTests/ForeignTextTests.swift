import Chronology
import Glibc
import Locator
import Positioning
import SextantAPI
import SystemCalls
import TestSupport
import Testing
import Varlink

@testable import sextant

/// Text of devices, other programs, files and the network, which anyone may choose, must not reach
/// a terminal as control sequences.
@Suite("Foreign text")
struct ForeignTextTests {
    /// A title change, a cleared screen, a colour by a C1 control, two changes of direction, line
    /// breaks, a rubout and an invisible character.
    static let hostile = "evil\u{1B}]0;t\u{7}\u{1B}[2J\u{9B}31m\u{202E}\u{2066}\r\n\u{7F}\u{85}\u{2028}\u{200B}"

    /// Returns the harmful characters of an output, except its own line ends.
    private static func harm(in text: String) -> [String] {
        text.unicodeScalars.filter { $0 != "\n" && TerminalText.isHarmful($0) }.map { String($0.value, radix: 16) }
    }

    /// Returns the value with one of its strings replaced by the hostile text, for each string.
    private static func variants(of value: JSONValue) -> [JSONValue] {
        switch value {
        case .string: return [.string(hostile)]
        case .array(let elements):
            return elements.indices.flatMap { index in
                variants(of: elements[index]).map { variant in
                    var copy = elements
                    copy[index] = variant
                    return .array(copy)
                }
            }
        case .object(let members):
            return members.flatMap { name, member in
                variants(of: member).map { variant in .object(members.merging([name: variant]) { $1 }) }
            }
        default: return []
        }
    }

    private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    private static let record = FenceSample.record(
        #","lastEvent":\#(FenceSample.event(2)),"pending":\#(FenceSample.event(3))"#)

    private static let identity = """
        "serialNumber":"7","identity":{"vendor":"u-blox","module":"NEO","chipset":"M8","firmware":"3.01",\
        "protocolVersion":"18"},"driver":{"activity":"asleep","chip":"ublox8","sleepMethod":"ubloxStandby",\
        "isUnresponsive":true},
        """

    private static let receivers = """
        {"receivers":[\(Sample.receiverText(detail: "reason", identity: identity)),\
        \(Sample.receiverText(isPrimary: false))]}
        """

    /// A reply with every text that a daemon can send, by method.
    private static let replies = [
        LocationMethods.getLocation.name:
            #"{"location":\#(Sample.locationText),"age":0.3,"restingSince":"2026-11-21T07:22:02.000Z"}"#,
        LocationMethods.subscribe.name:
            #"{"sequence":1,"dropped":0,"location":\#(Sample.locationText),"cause":"noFix","detail":"no sky"}"#,
        LocationMethods.watchVisits.name: """
        {"visit":{"arrival":"2026-11-21T07:22:02.000Z","latitude":48,"longitude":11,"horizontalAccuracy":5,\
        "departed":false}}
        """,
        LocationMethods.visits.name: """
        {"visits":[{"arrival":"2026-11-21T07:22:02.000Z","latitude":48,"longitude":11,"horizontalAccuracy":5,\
        "departed":false}]}
        """,
        LocationMethods.watchHeading.name: """
        {"heading":{"timestamp":"2026-11-21T07:22:02.000Z","trueHeading":218.8,"magneticHeading":216.2,\
        "headingAccuracy":0.5,"source":"inertial","variation":2.6,"variationSource":"hdg","receiver":"gps"},\
        "detail":"no compass"}
        """,
        ManagerMethods.getStatus.name: #"{"status":\#(Sample.statusText)}"#,
        ManagerMethods.getPower.name: """
        {"start":{"operation":1,"saving":0,"search":0,"standby":0,"closed":0,"joules":0.09,"consumers":[\
        {"purpose":"fitness","program":"walker","unit":"walker.service","uid":4242,"joules":240.3,"share":0.75}]},\
        "days":[{"day":"2026-11-02","operation":1,"saving":0,"search":0,"standby":0,"closed":0,"joules":0.09,\
        "consumers":[]}],"estimates":[{"receiver":"gps","chip":"ublox8","source":"a data sheet"}]}
        """,
        ManagerMethods.getConsumers.name: """
        {"consumers":[{"purpose":"fitness","program":"walker","pid":7,"uid":4242,"unit":"walker.service",\
        "receiver":"gps","desiredAccuracy":"best","interval":1,"significantChange":false,"passive":false,\
        "since":"2026-11-21T07:22:02.000Z","seconds":9,"holds":true,"silent":false}],\
        "activities":[{"receiver":"gps","state":"search","seconds":3}],"allowsSleep":true}
        """,
        ReceiverMethods.list.name: receivers,
        ReceiverMethods.watch.name: receivers,
        MonitorMethods.listMonitors.name: #"{"monitors":[\#(FenceSample.monitor())]}"#,
        MonitorMethods.getRecord.name: #"{"record":\#(record)}"#,
        MonitorMethods.list.name: #"{"records":[\#(record)]}"#,
        MonitorMethods.nearest.name: FenceSample.nearest,
        MonitorMethods.add.name: #"{"added":1,"replaced":0,"unmonitored":["home"]}"#,
        MonitorMethods.importConditions.name: #"{"added":1,"replaced":0,"unmonitored":["home"]}"#,
        MonitorMethods.exportConditions.name: #"{"geojson":{"type":"FeatureCollection","features":[{"id":"a"}]}}"#,
        MonitorMethods.remove.name: #"{"removed":1}"#,
        MonitorMethods.open.name:
            #"{"monitor":\#(FenceSample.monitor()),"event":\#(FenceSample.event(7))}"#,
        MonitorMethods.acknowledge.name: #"{"acknowledged":1}"#,
    ]

    /// The commands that print a reply, and the method of that reply.
    private static let commands: [(method: String, arguments: [String])] = [
        (LocationMethods.getLocation.name, ["locate"]),
        (LocationMethods.subscribe.name, ["watch", "--duration", "50ms"]),
        (LocationMethods.watchVisits.name, ["watch", "--visits", "--duration", "50ms"]),
        (LocationMethods.visits.name, ["visits"]),
        (LocationMethods.watchHeading.name, ["watch", "--heading", "--duration", "50ms"]),
        (ManagerMethods.getStatus.name, ["status"]),
        (ManagerMethods.getPower.name, ["power"]),
        (ManagerMethods.getConsumers.name, ["who"]),
        (ReceiverMethods.list.name, ["receivers"]),
        (ReceiverMethods.list.name, ["sky"]),
        (ReceiverMethods.watch.name, ["sky", "--watch", "--duration", "50ms"]),
        (ReceiverMethods.list.name, ["doctor", "--timeout", "0.1"]),
        (MonitorMethods.getRecord.name, ["doctor", "fence", "home"]),
        (MonitorMethods.list.name, ["fence", "list"]),
        (MonitorMethods.getRecord.name, ["fence", "show", "home"]),
        (MonitorMethods.nearest.name, ["fence", "show"]),
        (MonitorMethods.add.name, ["fence", "add", "home", "--circle", "1,2,3"]),
        (MonitorMethods.exportConditions.name, ["fence", "export", "--monitor", "home"]),
        (MonitorMethods.open.name, ["fence", "watch", "home", "--duration", "50ms"]),
        (MonitorMethods.open.name, ["fence", "watch", "home", "--duration", "200ms", "--exec", "false"]),
    ]

    @Test(arguments: commands)
    func `no text of a reply reaches the output as it is`(method: String, arguments: [String]) throws {
        let reply = try ForeignTextTests.json(try #require(ForeignTextTests.replies[method]))
        for variant in ForeignTextTests.variants(of: reply) {
            var results = ForeignTextTests.replies.mapValues { FakeDaemon.CallResult.reply($0) }
            results[method] = .reply(ForeignTextTests.text(variant))
            for mode in arguments.contains("--exec") ? [[]] : [[], ["--json"]] {
                let outcome = try FakeDaemon(results: results).run(arguments + mode)
                let harm = ForeignTextTests.harm(in: outcome.output + outcome.errors)
                #expect(harm.isEmpty, "\(arguments + mode) of \(ForeignTextTests.text(variant)): \(harm)")
            }
        }
    }

    private static let errors: [(name: String, parameters: [String: JSONValue])] = [
        ("io.sextant.Location.LocationUnavailable", ["cause": "noFix", "detail": .string(hostile)]),
        (NoSuchReceiverError.name(in: .location), ["receiver": .string(hostile), "known": [.string(hostile)]]),
        (MonitorError.noSuchMonitor(name: "").reply.name, ["name": .string(hostile)]),
        (MonitorError.noSuchCondition(identifier: "").reply.name, ["identifier": .string(hostile)]),
        (MonitorError.monitorInUse(name: "", process: 1).reply.name, ["name": .string(hostile), "process": 7]),
        (
            MonitorError.invalidCondition(identifier: "", reason: "").reply.name,
            ["identifier": .string(hostile), "reason": .string(hostile)]
        ),
        (
            MonitorError.invalidName(name: "", reason: "").reply.name,
            ["name": .string(hostile), "reason": .string(hostile)]
        ),
        (MonitorError.persistenceUnavailable(reason: "").reply.name, ["reason": .string(hostile)]),
        (
            "io.sextant.Manager.InvalidConfiguration",
            ["file": .string("/etc/" + hostile), "line": 3, "key": .string(hostile), "reason": .string(hostile)]
        ),
        ("io.sextant.Manager.Unknown\u{1B}[2J", ["text": .string(hostile)]),
    ]

    @Test(arguments: errors)
    func `no text of an error reaches the output as it is`(name: String, parameters: [String: JSONValue]) throws {
        let error = FakeDaemon.CallResult.error(name, ForeignTextTests.text(.object(parameters)))
        let daemon = FakeDaemon(results: ForeignTextTests.replies.mapValues { _ in error })
        for arguments in [
            ["locate"], ["locate", "--json"], ["fence", "list"], ["doctor"], ["fence", "watch", "home"],
        ] {
            let outcome = try daemon.run(arguments)
            #expect(!outcome.errors.isEmpty || arguments[0] == "doctor")
            #expect(ForeignTextTests.harm(in: outcome.output + outcome.errors).isEmpty, "\(arguments): \(outcome)")
        }
    }

    private static let fileCommands: [[String]] = [
        ["replay", "FILE"], ["replay", "FILE", "--format", "gpsd"], ["replay", "MISSING"],
        ["replay", "FILE", "--emit", "events", "--fences", "GEOJSON"], ["replay", "FILE", "--start", "TEXT"],
        ["simulate", "MISSING"], ["simulate", "--link", "MISSING/x", "--duration", "0.1"],
        ["simulate", "FILE", "--link", "LINK", "--duration", "0.1"],
        ["rehearse", "--route", "MISSING"], ["rehearse", "--route", "GEOJSON"],
        ["record", "--device", "MISSING"], ["record", "--device", "FILE", "--duration", "0.1"],
        ["doctor", "--device", "MISSING", "--socket", "MISSING"],
        ["doctor", "--device", "FILE", "--socket", "MISSING"],
        ["fence", "import", "MISSING", "--monitor", "m", "--socket", "MISSING"],
        ["fence", "list", "--socket", "FILE"], ["locate", "--socket", "MISSING"],
        ["locate", "--no-such-option-TEXT"], ["TEXT"], ["watch", "--duration", "TEXT"],
        ["watch", "--accuracy", "TEXT"],
    ]

    @Test(arguments: fileCommands)
    func `no name or content of a file and no argument reaches the output as it is`(command: [String]) throws {
        let scratch = try Scratch()
        let name = scratch.path + "/" + ForeignTextTests.hostile
        let files = [
            "FILE": (
                ".nmea", "# Name: \(ForeignTextTests.hostile)\n$GPTXT,01,01,02,\(ForeignTextTests.hostile)*00\r\n"
            ),
            "GEOJSON": (".geojson", #"{"type":"Feature\#u{1B}[2J","id":"\#(ForeignTextTests.hostile)"}"#),
        ]
        for (ending, text) in files.values {
            let file = try #require(fopen(name + ending, "w"))
            fputs(text, file)
            fclose(file)
        }
        let arguments = command.map {
            $0.replacing("MISSING", with: name + ".none").replacing("LINK", with: name + ".link")
                .replacing("GEOJSON", with: name + ".geojson").replacing("FILE", with: name + ".nmea")
                .replacing("TEXT", with: ForeignTextTests.hostile)
        }
        let program = try Program(arguments)
        while !program.drain() { _ = try Poller.readable(program.openPipes, until: nil) }
        _ = program.status()
        #expect(!(program.output + program.errors).isEmpty)
        let harm = ForeignTextTests.harm(in: program.output + program.errors)
        #expect(harm.isEmpty, "\(command): \(harm) in \(program.output + program.errors)")
    }

    @Test
    func `no text reaches a full screen as it is`() throws {
        let receiver = try ForeignTextTests.json(Sample.receiverText(detail: "reason"))
        let update = try ForeignTextTests.json(Sample.updateText)
        var drawings = 0
        for variant in ForeignTextTests.variants(of: receiver) + [receiver] {
            guard let message: Receiver = try? Sample.read(ForeignTextTests.text(variant)) else { continue }
            for variant in ForeignTextTests.variants(of: update) + [update, try ForeignTextTests.json(Sample.noFix)] {
                guard let update: SubscribeReply = try? Sample.read(ForeignTextTests.text(variant)) else { continue }
                var view = WatchView(configuration: .automotiveNavigation)
                view.update(with: .receivers([message, message]), at: .zero)
                view.update(with: .update(update), at: .zero)
                let lines = view.draw(.assumed, at: .zero).lines(.plain) + [view.closingLine ?? ""]
                #expect(ForeignTextTests.harm(in: lines.dropLast().joined()).isEmpty)
                drawings += 1
            }
            let sky = SkyDrawing.canvas(of: message, width: 80, height: 24).lines(.plain)
            #expect(ForeignTextTests.harm(in: sky.joined()).isEmpty)
        }
        #expect(drawings > 30)
    }

    @Test
    func `harmful characters are those that control a terminal or hide`() throws {
        #expect(TerminalText.sanitized("naïve 位置 ±2 °C 👩‍🚀 می‌خواهم") == "naïve 位置 ±2 °C 👩‍🚀 می‌خواهم")
        #expect(TerminalText.sanitized("a\u{1B}b\u{9B}c\u{202E}d\u{2028}e\u{FEFF}f\u{E0041}") == "a?b?c?d?e?f?")
        let json = Array(#"{"a":"\#u{9B}x\#u{E0041}"}"#.utf8) + [10]
        let escaped = TerminalText.sanitized(json: json)
        #expect(String(decoding: escaped, as: UTF8.self) == #"{"a":"\u009bx\udb40\udc41"}"# + "\n")
        #expect(try JSONValue(parsing: Array(escaped.dropLast())) == JSONValue(parsing: Array(json.dropLast())))
    }
}
