import ArgumentParser
import Chronology
import Geofencing
import Glibc
import Testing
import Varlink
import Wire

@testable import sextant

/// What the daemon might send of fences.
enum FenceSample {
    static let place = #"{"timestamp":"2026-11-21T07:22:02.000Z","latitude":48.1173,"longitude":11.5167,"horizontalAccuracy":3.2}"#
    static let condition = #"{"identifier":"home","circle":{"center":{"latitude":48.1173,"longitude":11.5167},"radius":150},"dwell":300}"#

    static func event(_ id: Int, _ kind: String = "entered", _ state: String = "satisfied") -> String {
        """
        {"id":\(id),"identifier":"home","kind":"\(kind)","state":"\(state)","date":"2026-11-21T07:22:02.000Z",\
        "recorded":"2026-11-21T07:22:03.000Z","location":\(place),"margin":12.5,"folded":0,"metadata":{"door":"front"}}
        """
    }

    static func record(_ more: String = "", state: String = "unsatisfied") -> String {
        """
        {"condition":\(condition),"state":"\(state)","since":"2026-11-21T07:00:00.000Z","isMorePending":false,"distance":-420.5,\
        "evaluated":"2026-11-21T07:22:02.000Z","radiusTooSmall":false,"conditionLimitExceeded":false,"persistenceUnavailable":false\(more)}
        """
    }

    static func monitor(_ more: String = #","isOpen":true,"process":77"#) -> String {
        let more = more.isEmpty ? #","isOpen":false"# : more
        return """
            {"name":"home","program":"\(FenceOptions.user)","conditions":1,"unmonitored":0,"pending":0,"persistenceUnavailable":false,\
            "conditionLimit":20\(more)}
            """
    }

    static let nearest = """
        {"location":\(place),"neighbours":[{"monitor":"home","condition":\(condition),"state":"unsatisfied","distance":-420.5}]}
        """
}

@Suite("sextant fence")
struct FenceTests {
    private func daemon(_ answers: [String: String]) -> FakeDaemon {
        var all = [
            DaemonMethod.listMonitors: #"{"monitors":[\#(FenceSample.monitor())]}"#,
            DaemonMethod.getRecord: #"{"record":\#(FenceSample.record())}"#,
            DaemonMethod.listConditions: #"{"records":[\#(FenceSample.record())]}"#,
            DaemonMethod.nearestConditions: FenceSample.nearest,
            DaemonMethod.addConditions: #"{"added":1,"replaced":0,"unmonitored":[]}"#,
            DaemonMethod.importConditions: #"{"added":1,"replaced":0,"unmonitored":[]}"#,
            DaemonMethod.removeConditions: #"{"removed":1}"#,
            DaemonMethod.acknowledge: #"{"acknowledged":1}"#,
        ]
        all.merge(answers) { $1 }
        return FakeDaemon(answers: all.mapValues { .reply($0) })
    }

    @Test("A fence without a monitor has one of its own name, and is the user's")
    func adding() throws {
        let arguments = ["fence", "add", "home", "--circle", "-48.1,11.5,150", "--dwell", "5m", "--metadata", "door=front=1"]
        let outcome = try daemon([:]).run(arguments)
        #expect(outcome.status == 0 && outcome.output == "added home, in the monitor home\n")
        let call = try #require(outcome.calls.first)
        #expect(call.parameters["name"] == "home" && call.parameters["program"]?.string == FenceOptions.user)
        let condition = try #require(call.parameters["conditions"]?.array?.first)
        #expect(condition["circle"]?["center"]?["latitude"] == -48.1 && condition["circle"]?["radius"]?.double == 150)
        #expect(condition["dwell"]?.double == 300 && condition["metadata"]?["door"] == "front=1")
    }

    @Test("Areas and ways; one shape and no more")
    func shapes() throws {
        let polygon = try FenceShapeArguments.parse(["--polygon", "0,0 0,1 1,1", "--hole", "-0.1,0.2 0.1,0.3 0.2,0.1"])
        #expect(polygon.polygon?.points.count == 3 && polygon.hole.first?.points.first?.latitude == -0.1)
        let way = try FenceShapeArguments.parse(["--corridor", "-33.1,151 -33.2,151.1", "--width", "30"])
        #expect(way.corridor?.points.last == PointMessage(latitude: -33.2, longitude: 151.1))
        for wrong in ["", "--circle 1,2", "--circle 1,2,3 --here 5", "--width 3 --here 5", "--circle 1,2,nan"] {
            #expect(throws: (any Error).self) { try FenceShapeArguments.parse(wrong.split(separator: " ").map(String.init)) }
        }
    }

    @Test("What is there, as a table and as JSON")
    func listing() throws {
        let table = try daemon([:]).run(["fence", "list"])
        #expect(table.status == 0 && table.output.contains("home   outside  2026-11-21T07:00:00.000Z  421 m off"))
        let json = try daemon([:]).run(["fence", "list", "--json"])
        #expect(json.output.hasPrefix(#"{"monitor":"home","record":{"#))
        let none = try daemon([DaemonMethod.listMonitors: #"{"monitors":[]}"#]).run(["fence", "list"])
        #expect(none.status == 2 && none.errors.contains("sextant fence add"))
    }

    @Test("One fence: its facts, and the picture with the boundary in it")
    func showing() throws {
        let outcome = try daemon([:]).run(["fence", "show", "home"])
        #expect(outcome.status == 0 && outcome.output.contains("device      421 m off"))
        #expect(outcome.output.contains("●") && outcome.output.contains("north up"))
        #expect(outcome.output.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
    }

    @Test("A name that nobody knows is said, with where to look")
    func unknown() throws {
        let answers: [String: FakeDaemon.Answer] = [
            DaemonMethod.listMonitors: .reply(#"{"monitors":[\#(FenceSample.monitor())]}"#),
            DaemonMethod.getRecord: .error("io.sextant.Monitor.NoSuchCondition", #"{"identifier":"hme"}"#),
        ]
        let outcome = try FakeDaemon(answers: answers).run(["fence", "show", "hme"])
        #expect(outcome.status == 2 && outcome.errors == "sextant: there is no fence \"hme\"; those there are: sextant fence list\n")
    }

    @Test("What is printed is acknowledged; what is only peeked at is not")
    func watching() throws {
        let open = [DaemonMethod.openMonitor: #"{"event":\#(FenceSample.event(7))}"#]
        let outcome = try daemon(open).run(["fence", "watch", "home", "--duration", "0.3"])
        #expect(outcome.output.hasPrefix("2026-11-21T07:22:02.000Z home entered · 13 m inside at 48.117300° N"))
        let receipts = outcome.calls.filter { $0.method == DaemonMethod.acknowledge }
        #expect(receipts.map { $0.parameters["events"] } == [[7]])
        let peek = try daemon(open).run(["fence", "watch", "home", "--duration", "0.3", "--peek", "--json"])
        #expect(peek.output.contains(#""id":7"#) && !peek.calls.contains { $0.method == DaemonMethod.acknowledge })
    }

    @Test("A disk that is full at the daemon ends nobody who follows")
    func fullDisk() throws {
        let answers: [String: FakeDaemon.Answer] = [
            DaemonMethod.openMonitor: .reply(#"{"event":\#(FenceSample.event(7))}"#),
            DaemonMethod.acknowledge: .error("io.sextant.Monitor.PersistenceUnavailable", #"{"reason":"disk full"}"#),
        ]
        let outcome = try FakeDaemon(answers: answers).run(["fence", "watch", "home", "--duration", "0.3"])
        #expect(outcome.status == 0 && outcome.errors.contains("event 7 was dealt with cannot be written down yet: disk full"))
    }

    @Test("A command gets the event, is run again until it succeeds, and only then is the event acknowledged")
    func executing() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/told"
        let command = #"echo "$SEXTANT_ATTEMPT $SEXTANT_FENCE $SEXTANT_KIND $SEXTANT_MARGIN $SEXTANT_METADATA" >> \#(file); "#
        let open = [DaemonMethod.openMonitor: #"{"event":\#(FenceSample.event(7))}"#]
        let outcome = try daemon(open).run([
            "fence", "watch", "home", "--duration", "2.5", "--exec", command + "test $SEXTANT_ATTEMPT = 2 && cat >> \(file)",
        ])
        let lines = String(decoding: try CaptureFile.read(file), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == [#"1 home entered 12.5 {"door":"front"}"#, #"2 home entered 12.5 {"door":"front"}"#])
        #expect(lines.count == 3 && lines[2].contains(#""identifier":"home""#))
        #expect(outcome.calls.count { $0.method == DaemonMethod.acknowledge } == 1)
        #expect(outcome.errors.contains(#"the command for "home entered" ended with status 1; again in 1.0 s"#))
    }

    @Test("A large file goes in parts")
    func importing() throws {
        let scratch = try Scratch()
        let feature = #"{"type":"Feature","properties":{"identifier":"x","radius":50},"geometry":{"type":"Point","coordinates":[11,48]}}"#
        let features = Array(repeating: feature, count: 1200).joined(separator: ",")
        let text = #"{"type":"FeatureCollection","features":[\#(features)]}"#
        let path = scratch.path + "/many.geojson"
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        let outcome = try daemon([:]).run(["fence", "import", path, "--monitor", "many"])
        #expect(outcome.status == 0 && outcome.calls.count == 3)
        let counts = outcome.calls.map { call in call.parameters["geojson"]?["features"]?.array?.count ?? 0 }
        #expect(counts.reduce(0, +) == 1200)
    }
}
