import ArgumentParser
import Geofencing
import Glibc
import SextantAPI
import TestSupport
import Testing
import Varlink

@testable import sextant

/// Sample fence messages of the daemon.
enum FenceSample {
    static let place =
        #"{"timestamp":"2026-11-21T07:22:02.000Z","latitude":48.1173,"longitude":11.5167,"horizontalAccuracy":3.2}"#
    static let condition =
        #"{"identifier":"home","circle":{"center":{"latitude":48.1173,"longitude":11.5167},"radius":150},"dwell":300}"#

    static func event(_ id: Int, kind: String = "entered", state: String = "satisfied") -> String {
        """
        {"id":\(id),"identifier":"home","kind":"\(kind)","state":"\(state)","date":"2026-11-21T07:22:02.000Z",\
        "recorded":"2026-11-21T07:22:03.000Z","location":\(place),"margin":12.5,"folded":0,"metadata":{"door":"front"}}
        """
    }

    static func record(_ more: String = "", state: String = "unsatisfied") -> String {
        """
        {"condition":\(condition),"state":"\(state)","since":"2026-11-21T07:00:00.000Z","isMorePending":false,\
        "distance":-420.5,\
        "evaluated":"2026-11-21T07:22:02.000Z","radiusTooSmall":false,"conditionLimitExceeded":false,\
        "persistenceUnavailable":false\(more)}
        """
    }

    static func monitor(_ more: String = #","isOpen":true,"process":77"#) -> String {
        let more = more.isEmpty ? #","isOpen":false"# : more
        return """
            {"name":"home","program":"\(FenceOptions.user)","conditions":1,"unmonitored":0,"pending":0,\
            "persistenceUnavailable":false,\
            "conditionLimit":20\(more)}
            """
    }

    static let nearest = """
        {"location":\(place),"neighbours":[{"monitor":"home","condition":\(condition),"state":"unsatisfied",\
        "distance":-420.5}]}
        """
}

@Suite("sextant fence")
struct FenceTests {
    private func daemon(replying replies: [String: String] = [:]) -> FakeDaemon {
        var all = [
            MonitorMethods.listMonitors.name: #"{"monitors":[\#(FenceSample.monitor())]}"#,
            MonitorMethods.getRecord.name: #"{"record":\#(FenceSample.record())}"#,
            MonitorMethods.list.name: #"{"records":[\#(FenceSample.record())]}"#,
            MonitorMethods.nearest.name: FenceSample.nearest,
            MonitorMethods.add.name: #"{"added":1,"replaced":0,"unmonitored":[]}"#,
            MonitorMethods.importConditions.name: #"{"added":1,"replaced":0,"unmonitored":[]}"#,
            MonitorMethods.remove.name: #"{"removed":1}"#,
            MonitorMethods.acknowledge.name: #"{"acknowledged":1}"#,
        ]
        all.merge(replies) { $1 }
        return FakeDaemon(results: all.mapValues { .reply($0) })
    }

    @Test
    func `a new fence without a monitor gets a monitor of its own name`() throws {
        let arguments = [
            "fence", "add", "home", "--circle", "-48.1,11.5,150", "--dwell", "5m", "--metadata", "door=front=1",
        ]
        let outcome = try daemon().run(arguments)
        #expect(outcome.status == 0 && outcome.output == "added home in the monitor home\n")
        let call = try #require(outcome.calls.first)
        #expect(call.parameters["name"] == "home" && call.parameters["program"]?.string == FenceOptions.user)
        let condition = try #require(call.parameters["conditions"]?.array?.first)
        #expect(condition["circle"]?["center"]?["latitude"] == -48.1 && condition["circle"]?["radius"]?.double == 150)
        #expect(condition["dwell"]?.double == 300 && condition["metadata"]?["door"] == "front=1")
    }

    @Test(arguments: [
        (FenceSample.record().replacing(#"Small":false"#, with: #"Small":true"#), true, true),
        (FenceSample.record(), false, true), (FenceSample.record(#","accuracyLimited":true"#), false, false),
    ])
    func `a fence that is too small, or not permitted, is added with a warning`(
        record: String, isSmall: Bool, isPermitted: Bool
    ) throws {
        let replies = [MonitorMethods.getRecord.name: #"{"record":\#(record)}"#]
        // The daemon decides what is too small.
        let outcome = try daemon(replying: replies).run(["fence", "add", "home", "--circle", "48.1,11.5,5"])
        #expect(outcome.status == 0 && outcome.output == "added home in the monitor home\n")
        #expect(outcome.calls.map(\.method) == [MonitorMethods.add.name, MonitorMethods.getRecord.name])
        if isSmall {
            let size = "\(FenceFormatter.tooSmall()); \(FenceFormatter.sizeRemedy)"
            #expect(outcome.errors == "sextant: home is \(size)\n")
        } else if isPermitted {
            #expect(outcome.errors == "")
        } else {
            #expect(outcome.errors.hasPrefix("sextant: home is not monitored: not permitted"))
        }
    }

    @Test
    func `the owner of fences has the names of programs in other commands`() throws {
        let name = try #require(getpwuid(getuid())).pointee.pw_name.map { String(cString: $0) }
        for command in [["list"], ["show", "home"], ["remove", "home"], ["watch", "home", "--duration", "0.1"]] {
            let outcome = try daemon().run(["fence"] + command + ["--program", try #require(name)])
            let owners = Set(outcome.calls.compactMap { $0.parameters["program"]?.string })
            #expect(owners.isSubset(of: [FenceOptions.user]) && !outcome.errors.contains("no fence"), "\(outcome)")
        }
        let other = try daemon().run(["fence", "list", "--program", "4711:map.service"])
        #expect(other.status == 2 && other.errors == "sextant: the program 4711:map.service has no fence\n")
        let unknown = try daemon().run(["fence", "list", "--program", "nobody-of-that-name"])
        #expect(unknown.status == 64 && unknown.errors.contains(#"there is no user "nobody-of-that-name""#))
    }

    @Test
    func `a fence around a reduced location is refused`() throws {
        let place =
            #"{"latitude":48.1,"longitude":11.5,"horizontalAccuracy":5100,"accuracySource":"reduced","mode":"3d","#
            + #""quality":"autonomous","receiver":"gps"}"#
        let location = [LocationMethods.getLocation.name: #"{"location":\#(place),"age":0.1}"#]
        let outcome = try daemon(replying: location).run(["fence", "add", "home", "--here", "100m"])
        #expect(
            outcome.status == 77 && outcome.errors.contains("around a reduced location, ±5.1 km"), "\(outcome.errors)")
        #expect(!outcome.calls.contains { $0.method == MonitorMethods.add.name })
    }

    @Test(arguments: [
        (["home", "--expires", "2020-01-01"], "is in the past"),
        (["my home"], #"the fence name "my home" must be"#),
    ])
    func `a fence that cannot work is refused before the call`(arguments: [String], reason: String) throws {
        let outcome = try daemon().run(["fence", "add", "--circle", "48.1,11.5,150"] + arguments)
        #expect(outcome.status == 64 && outcome.calls.isEmpty && outcome.errors.contains(reason), "\(outcome.errors)")
        let named = try daemon().run(["fence", "add", "my home", "--circle", "48.1,11.5,150", "--monitor", "home"])
        #expect(named.status == 0)
    }

    @Test
    func `a bare date of --expires begins at midnight of the time zone of the user`() throws {
        for (text, expiry) in [
            ("2099-01-31", "2099-01-30T23:00:00.000Z"), ("2099-01-31T12:00:00Z", "2099-01-31T12:00:00.000Z"),
        ] {
            let outcome = try daemon().run(
                ["fence", "add", "home", "--circle", "-33.86,151,200m", "--expires", text],
                launch: .variables(["TZ=CET-1CEST,M3.5.0,M10.5.0/3"]))
            let condition = try #require(outcome.calls.first?.parameters["conditions"]?.array?.first)
            #expect(condition["expiry"]?.string == expiry && condition["circle"]?["radius"]?.double == 200)
        }
    }

    @Test
    func `watch without a pending event reports that it waits`() throws {
        let open = [MonitorMethods.open.name: #"{"monitor":\#(FenceSample.monitor())}"#]
        let arguments = ["fence", "watch", "home", "--duration", "0.3"]
        #expect(try daemon(replying: open).run(arguments).errors.contains("waiting for the next"))
        let exec = arguments + ["--exec", "true"]
        #expect(try daemon(replying: open).run(exec).errors.contains("waiting for the next"))
        #expect(try daemon(replying: open).run(arguments + ["--json"]).errors == "")
    }

    @Test
    func `shape arguments describe exactly one valid shape`() throws {
        let polygon = try FenceShapeArguments.parse(["--polygon", "0,0 0,1 1,1", "--hole", "-0.1,0.2 0.1,0.3 0.2,0.1"])
        #expect(polygon.polygon?.points.count == 3 && polygon.hole.first?.points.first?.latitude == -0.1)
        let corridor = try FenceShapeArguments.parse(["--corridor", "-33.1,151 -33.2,151.1", "--width", "30"])
        #expect(corridor.corridor?.points.last == Point(latitude: -33.2, longitude: 151.1))
        for wrong in ["", "--circle 1,2", "--circle 1,2,3 --here 5", "--width 3 --here 5", "--circle 1,2,nan"] {
            #expect(throws: (any Error).self) {
                try FenceAddCommand.parse(["home"] + wrong.split(separator: " ").map(String.init))
            }
        }
    }

    @Test
    func `list prints the fences as a table and as JSON`() throws {
        let table = try daemon().run(["fence", "list"])
        #expect(table.status == 0 && table.output.contains("home   outside  21 Nov 2026 07:00:00 UTC  421 m outside"))
        let json = try daemon().run(["fence", "list", "--json"])
        #expect(json.output.hasPrefix(#"{"monitor":"home","record":{"#))
        let none = try daemon(replying: [MonitorMethods.listMonitors.name: #"{"monitors":[]}"#]).run(["fence", "list"])
        #expect(none.status == 2 && none.errors.contains("sextant fence add"))
    }

    @Test
    func `show says that there are more fences only if there are`() throws {
        let one = #"{"monitor":"home","condition":\#(FenceSample.condition),"state":"unsatisfied","distance":-420.5}"#
        let two = #"{"location":\#(FenceSample.place),"neighbours":[\#(one),\#(one)]}"#
        let daemon = daemon(replying: [MonitorMethods.nearest.name: two])
        let shown = try daemon.run(["fence", "show", "--count", "1"])
        #expect(shown.output.hasSuffix("421 m outside\nthese are the nearest; --count shows more\n"), "\(shown.output)")
        #expect(shown.calls.last?.parameters["count"] == 2)
        #expect(try !daemon.run(["fence", "show", "--count", "2"]).output.contains("--count"))
    }

    @Test
    func `show prints the facts of a fence and draws its boundary`() throws {
        let outcome = try daemon().run(["fence", "show", "home"])
        #expect(outcome.status == 0 && outcome.output.contains("device      421 m outside"))
        #expect(outcome.output.contains("●") && outcome.output.contains("north up"))
        #expect(outcome.output.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
    }

    @Test
    func `the map shows fences within ten times its range, with labels side by side`() throws {
        func neighbour(_ name: String, north: Double, distance: Double) -> Neighbour {
            let center = Point(latitude: 48.1173 + north / 111_200, longitude: 11.5167)
            var condition = Condition(identifier: name)
            condition.circle = ConditionCircle(center: center, radius: 20)
            return Neighbour(monitor: "home", condition: condition, state: .unsatisfied, distance: distance)
        }
        func map(_ neighbours: [Neighbour]) throws -> String {
            let size = TerminalSize(columns: 60, rows: 30)
            return FenceMap(location: try Sample.read(FenceSample.place), neighbours: neighbours, size: size)
                .canvas().lines(.plain).joined(separator: "\n")
        }
        let near = neighbour("site0", north: 22, distance: -2)
        let others = [neighbour("site1", north: 120, distance: -100), neighbour("site2", north: 122, distance: -102)]
        let shown = try map([near] + others)
        for name in ["site0", "site1", "site2"] { #expect(shown.contains(name), "\(shown)") }
        #expect(shown.contains("┤ 100 m"), "\(shown)")
        // Each has a blank beside it, also on the smallest map.
        let narrow = FenceMap(
            location: try Sample.read(FenceSample.place), neighbours: [neighbour("far", north: 2e6, distance: -2e6)],
            size: TerminalSize(columns: 20, rows: 9))
        let scale = try #require(narrow.canvas().lines(.plain).last)
        #expect(!scale.contains("north up") || scale.contains(" north up"), "\(scale)")
        let alone = try map([near, neighbour("away", north: 5020, distance: -5000)])
        #expect(alone.contains("site0") && alone.contains("┤ 10 m") && !alone.contains("away"), "\(alone)")
    }

    @Test(arguments: [["list"], ["export"], ["remove", "--all"]])
    func `a monitor that does not exist is an error, not an empty one`(command: [String]) throws {
        let outcome = try daemon().run(["fence"] + command + ["--monitor", "nix"])
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(outcome.errors.hasPrefix("sextant: there is no monitor \"nix\""), "\(outcome.errors)")
    }

    @Test(.utc)
    func `the list shows state, distance and shape of a fence`() throws {
        let table = FenceTable(
            entries: [.init(monitor: "home", record: try Sample.read(FenceSample.record()))], owner: "4242")
        #expect(
            table.canvas(columns: nil).lines(.plain) == [
                "FENCE  STATE    SINCE                     DISTANCE       PENDING  MONITOR  SHAPE",
                "home   outside  21 Nov 2026 07:00:00 UTC  421 m outside  -        home     "
                    + "circle of 150 m around 48.117300° N 11.516700° E",
            ])
    }

    @Test
    func `an unknown fence name is an error that suggests the list command`() throws {
        let results: [String: FakeDaemon.CallResult] = [
            MonitorMethods.listMonitors.name: .reply(#"{"monitors":[\#(FenceSample.monitor())]}"#),
            MonitorMethods.getRecord.name: .error("io.sextant.Monitor.NoSuchCondition", #"{"identifier":"hme"}"#),
        ]
        let outcome = try FakeDaemon(results: results).run(["fence", "show", "hme"])
        #expect(
            outcome.status == 2
                && outcome.errors == "sextant: there is no fence \"hme\"; list fences with: sextant fence list\n")
    }

    @Test
    func `watch acknowledges printed events and peek does not`() throws {
        let open = [MonitorMethods.open.name: #"{"event":\#(FenceSample.event(7))}"#]
        let outcome = try daemon(replying: open).run(["fence", "watch", "home", "--duration", "0.3"])
        #expect(outcome.output.hasPrefix("21 Nov 2026 07:22:02 UTC home entered · 13 m inside at 48.117300° N"))
        let receipts = outcome.calls.filter { $0.method == MonitorMethods.acknowledge.name }
        #expect(receipts.map { $0.parameters["events"] } == [[7]])
        let peek = try daemon(replying: open).run(["fence", "watch", "home", "--duration", "0.3", "--peek", "--json"])
        #expect(
            peek.output.contains(#""id":7"#) && !peek.calls.contains { $0.method == MonitorMethods.acknowledge.name })
    }

    @Test
    func `a full disk of the daemon does not end watch`() throws {
        var daemon = daemon(replying: [MonitorMethods.open.name: #"{"event":\#(FenceSample.event(7))}"#])
        daemon.results[MonitorMethods.acknowledge.name] = .error(
            "io.sextant.Monitor.PersistenceUnavailable", #"{"reason":"disk full"}"#)
        let outcome = try daemon.run(["fence", "watch", "home", "--duration", "0.3"])
        #expect(
            outcome.status == 0
                && outcome.errors.contains("cannot record the acknowledgement of event 7 yet: disk full"))
    }

    @Test
    func `watch acknowledges any number of events on one connection`() throws {
        let events = (1...300).map { #"{"event":\#(FenceSample.event($0))}"# }
        var daemon = daemon()
        daemon.results[MonitorMethods.open.name] = .replies(events)
        let outcome = try daemon.run(["fence", "watch", "home", "--duration", "2"])
        #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 300)
        let acknowledged = outcome.calls.filter { $0.method == MonitorMethods.acknowledge.name }
        #expect(acknowledged.compactMap { $0.parameters["events"] } == (1...300).map { .array([.int($0)]) })
        // One finds the monitor, one has the events, one all acknowledgements.
        #expect(outcome.connections == 3)
    }

    @Test(arguments: [
        FakeDaemon.CallResult.hangUp, .error("io.sextant.Manager.TooManyNewConnections", #"{"limit":100}"#),
    ])
    func `a failed acknowledgement is sent again with the next one`(failure: FakeDaemon.CallResult) throws {
        var daemon = daemon()
        daemon.results[MonitorMethods.open.name] = .replies(
            (7...8).map { #"{"event":\#(FenceSample.event($0))}"# })
        daemon.results[MonitorMethods.acknowledge.name] = .inTurn([failure, .reply(#"{"acknowledged":2}"#)])
        let outcome = try daemon.run(["fence", "watch", "home", "--duration", "1"])
        let acknowledged = outcome.calls.filter { $0.method == MonitorMethods.acknowledge.name }
        #expect(outcome.status == 0 && acknowledged.map { $0.parameters["events"] } == [[7], [7, 8]])
    }

    @Test
    func `an acknowledgement is repeated on a new connection if the daemon has closed the old one`() throws {
        var daemon = daemon()
        daemon.results[MonitorMethods.open.name] = .replies(
            (7...8).map { #"{"event":\#(FenceSample.event($0))}"# })
        let reply = FakeDaemon.CallResult.reply(#"{"acknowledged":1}"#)
        daemon.results[MonitorMethods.acknowledge.name] = .inTurn([reply, .hangUp, reply])
        let outcome = try daemon.run(["fence", "watch", "home", "--duration", "0.3"])
        let acknowledged = outcome.calls.filter { $0.method == MonitorMethods.acknowledge.name }
        // One finds the monitor, one has the events, two the acknowledgements.
        #expect(outcome.connections == 4)
    }

    @Test
    func `remove uses one connection, and one call for all fences of a monitor`() throws {
        let names = (1...100).map { "fence\($0)" }
        let outcome = try daemon().run(["fence", "remove"] + names)
        #expect(outcome.status == 0 && outcome.connections == 1)
        let removals = outcome.calls.filter { $0.method == MonitorMethods.remove.name }
        #expect(removals.map { $0.parameters["identifiers"]?.array?.count } == [100])
    }

    @Test
    func `an event is acknowledged only after its command succeeds`() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/told"
        let command =
            #"echo "$SEXTANT_ATTEMPT $SEXTANT_FENCE $SEXTANT_KIND $SEXTANT_MARGIN $SEXTANT_METADATA" >> \#(file); "#
        let open = [MonitorMethods.open.name: #"{"event":\#(FenceSample.event(7))}"#]
        let outcome = try daemon(replying: open).run([
            "fence", "watch", "home", "--duration", "2.5", "--exec",
            command + "test $SEXTANT_ATTEMPT = 2 && cat >> \(file)",
        ])
        let lines = String(decoding: try CaptureFile.read(file), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(2) == [#"1 home entered 12.5 {"door":"front"}"#, #"2 home entered 12.5 {"door":"front"}"#])
        #expect(lines.count == 3 && lines[2].contains(#""identifier":"home""#))
        #expect(outcome.calls.count { $0.method == MonitorMethods.acknowledge.name } == 1)
        #expect(outcome.errors.contains(#"the command for "home entered" exited with status 1; next attempt in 1.0 s"#))
    }

    @Test
    func `imported fences that are not permitted are reported with the reason`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(#"{"type":"FeatureCollection","features":[{"type":"Feature"}]}"#, to: "a.geojson")
        let record = FenceSample.record(#","accuracyLimited":true"#)
        let replies = [MonitorMethods.list.name: #"{"records":[\#(record),\#(record)]}"#]
        let outcome = try daemon(replying: replies).run(["fence", "import", path, "--monitor", "home"])
        #expect(outcome.status == 0 && outcome.output == "added 1 fence to the monitor home\n")
        let start = "sextant: home and 1 more in the monitor home are not monitored: not permitted: fences need"
        #expect(outcome.errors.hasPrefix(start), "\(outcome.errors)")
    }

    @Test
    func `a large file is imported in several parts`() throws {
        let scratch = try Scratch()
        let feature =
            #"{"type":"Feature","properties":{"identifier":"x","radius":50},"#
            + #""geometry":{"type":"Point","coordinates":[11,48]}}"#
        let features = Array(repeating: feature, count: 1200).joined(separator: ",")
        let text = #"{"type":"FeatureCollection","features":[\#(features)]}"#
        let path = scratch.path + "/many.geojson"
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        let outcome = try daemon().run(["fence", "import", path, "--monitor", "many"])
        let imports = outcome.calls.filter { $0.method == MonitorMethods.importConditions.name }
        #expect(outcome.status == 0 && imports.count == 3 && outcome.errors.isEmpty)
        let counts = imports.map { call in call.parameters["geojson"]?["features"]?.array?.count ?? 0 }
        #expect(counts.reduce(0, +) == 1200)
        let small = FenceSample.record().replacing(#"Small":false"#, with: #"Small":true"#)
        let records = [MonitorMethods.list.name: #"{"records":[\#(small),\#(small),\#(FenceSample.record())]}"#]
        let warned = try daemon(replying: records).run(["fence", "import", path, "--monitor", "many"])
        #expect(warned.status == 0 && warned.errors.contains(FenceFormatter.tooSmall()), "\(warned.errors)")
        #expect(warned.errors.contains("home and 1 more in the monitor many: "), "\(warned.errors)")
    }
}
