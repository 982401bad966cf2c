import CLinux
import Glibc
import Rehearsal
import Testing
import Varlink

@testable import sextant

@Suite("sextant rehearse")
struct RehearseTests {
    /// Four minutes at rest, one minute's drive east at 15 m/s, four minutes at rest.
    private static let track: String = {
        func point(_ east: Double, _ second: Int) -> String {
            let time =
                "2026-06-01T12:\(DecimalText.padded(String(second / 60), to: 2)):\(DecimalText.padded(String(second % 60), to: 2))Z"
            return "<trkpt lat=\"51.5\" lon=\"\(east)\"><ele>40</ele><time>\(time)</time></trkpt>"
        }
        let drive = (0...60).map { point(Double($0) * 0.000216, 240 + $0) }
        let points = [point(0, 0)] + drive + [point(60 * 0.000216, 540)]
        return "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
    }()

    private static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    /// A circle of 100 m around the starting point.
    private static let home = #"{"type":"Point","coordinates":[0,51.5],"identifier":"home","radius":100}"#

    private static func run(
        _ track: String, _ options: [String], fences: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let scratch = try Scratch()
        let path = scratch.path + "/way.gpx"
        try write(track, to: path)
        if let fences { try write(fences, to: scratch.path + "/home.geojson") }
        let watched = fences.map { _ in ["--fences", scratch.path + "/home.geojson"] } ?? []
        let program = try Program(["rehearse", "--route", path] + watched + options)
        while !program.drain() {
            var pipes = program.openPipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&pipes, nfds_t(pipes.count), 60_000) > 0 else { throw Scratch.Failure() }
        }
        return (program.status(), program.output, program.errors)
    }

    @Test
    func `rehearse prints updates, the phases of the day and the energy`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, ["--stream", "default"])
        #expect(outcome.status == 0 && outcome.errors == "")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("12:0") && $0.contains("rehearsed · at rest") })
        #expect(lines.contains { $0.contains("  moving  ") } && lines.contains { $0.contains("  at rest  ") })
        #expect(lines.contains { $0.hasPrefix("energy     [#") && $0.contains(" % of always on: ") })
    }

    @Test
    func `rehearse --json prints updates and a summary and is deterministic`() throws {
        let outcome = try RehearseTests.run(
            RehearseTests.track, ["--stream", "default", "--stream", "fitness", "--json"])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let objects = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        let summary = try #require(objects.last)
        for key in [
            "energyJoules", "alwaysOnEnergyJoules", "receiverOnSeconds", "fixes", "hostWakeups", "stationarySeconds",
        ] {
            #expect(summary[key] != nil, "\(key)")
        }
        #expect(summary["seconds"] == 540 && summary["resumeDelays"] != nil)
        #expect(objects.contains { $0["stream"] == "fitness" && $0["stationary"] == true && $0["location"] != nil })
        let again = try RehearseTests.run(
            RehearseTests.track, ["--stream", "default", "--stream", "fitness", "--json"])
        #expect(again.output == outcome.output)
    }

    @Test
    func `rehearse --summary prints no updates`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, ["--summary"])
        #expect(outcome.output.hasPrefix("12:00:00  no clients"))
    }

    @Test
    func `fence events carry the true crossing and its delay`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, ["--json"], fences: RehearseTests.home)
        #expect(outcome.status == 0 && outcome.errors == "")
        let objects = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let summary = try #require(objects.last)
        #expect(summary["missedCrossings"] == 0 && summary["falseCrossings"] == 0)
        let left = try #require(summary["events"]?.array?.first { $0["kind"] == "left" })
        #expect(left["identifier"] == "home" && left["verdict"] == "right" && left["state"] == "unsatisfied")
        #expect(
            left["crossed"]?.string?.hasPrefix("2026-06-01T12:04:06") == true && (left["delay"]?.double ?? 999) < 60)
        #expect(objects.dropLast().contains { $0["kind"] == "left" && $0["at"] == left["told"] && $0["margin"] != nil })
        let words = try RehearseTests.run(RehearseTests.track, ["--summary"], fences: RehearseTests.home)
        #expect(words.output.contains("  home: left  ") && words.output.contains("after the crossing at 12:04:06"))
        #expect(words.output.contains("\nmissed     0\nfalse      0\n"))
    }

    @Test
    func `an unreadable fence file is reported with its reason and exits with 66`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, [], fences: "{}")
        #expect(
            outcome.status == 66 && outcome.errors.contains("home.geojson: type: GeoJSON must be an object"))
    }

    @Test
    func `an unusable track is reported with its reason and exits with 66`() throws {
        let bare = RehearseTests.track.replacing("<time>2026-06-01T12:00:00Z</time>", with: "")
        let outcome = try RehearseTests.run(bare, [])
        #expect(outcome.status == 66 && outcome.errors.contains("way.gpx: point 1 has no <time>"))
        let words = try RehearseTests.run("$GPGGA", [])
        #expect(words.status == 66 && words.errors.contains("way.gpx is not a GPX track"))
        let wrong = try RehearseTests.run(bare, ["--fault", "unplug@1s"])
        #expect(wrong.status == 64 && wrong.errors.contains("no port to unplug"))
    }

    @Test
    func `a nonzero share fills at least one cell and the bar never overflows`() {
        #expect(RehearsalFormatter.bar(0) == "[" + String(repeating: ".", count: 40) + "]")
        #expect(
            RehearsalFormatter.bar(0.001).hasPrefix("[#.")
                && RehearsalFormatter.bar(2) == "[" + String(repeating: "#", count: 40) + "]")
    }
}
