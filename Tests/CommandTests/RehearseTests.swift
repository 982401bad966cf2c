import CLinux
import Glibc
import Simulator
import TestSupport
import Testing
import Varlink

@testable import sextant

@Suite("sextant rehearse")
struct RehearseTests {
    /// Four minutes at rest, one minute's drive east at 15 m/s, four minutes at rest.
    private static let track: String = {
        func point(longitude: Double, second: Int) -> String {
            let clock = [second / 60, second % 60].map { DecimalText.padded(String($0), to: 2) }
            let time = "2026-06-01T12:\(clock.joined(separator: ":"))Z"
            return "<trkpt lat=\"51.5\" lon=\"\(longitude)\"><ele>40</ele><time>\(time)</time></trkpt>"
        }
        let drive = (0...60).map { point(longitude: Double($0) * 0.000216, second: 240 + $0) }
        let points = [point(longitude: 0, second: 0)] + drive + [point(longitude: 60 * 0.000216, second: 540)]
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
        _ track: String, options: [String], fences: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let scratch = try Scratch()
        let path = scratch.path + "/track.gpx"
        try write(track, to: path)
        if let fences { try write(fences, to: scratch.path + "/home.geojson") }
        let fenceOptions = fences.map { _ in ["--fences", scratch.path + "/home.geojson"] } ?? []
        let program = try Program(["rehearse", "--route", path] + fenceOptions + options)
        while !program.drain() {
            var pipes = program.openPipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&pipes, nfds_t(pipes.count), 60_000) > 0 else { throw TestFailure("the program does not end") }
        }
        return (program.status(), program.output, program.errors)
    }

    @Test
    func `rehearse prints updates, the phases of the day and the energy`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, options: ["--stream", "default"])
        #expect(outcome.status == 0 && outcome.errors == "")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("12:0") && $0.contains("rehearsed · at rest") })
        #expect(lines.contains { $0.contains("  moving  ") } && lines.contains { $0.contains("  at rest  ") })
        #expect(lines.contains { $0.hasPrefix("energy     [#") && $0.contains(" % of always on: ") })
    }

    @Test
    func `the track among the captures has two departures and uses little energy`() throws {
        let package = #filePath.dropLast("/Tests/CommandTests/RehearseTests.swift".utf8.count)
        let track = Scratch.text(of: package + "/captures/commute.gpx")
        let outcome = try RehearseTests.run(track, options: ["--stream", "default", "--summary", "--json"])
        #expect(outcome.status == 0 && outcome.errors == "")
        let summary = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(summary["resumeDelays"]?.array?.count == 2 && summary["missedDepartures"] == 0)
    }

    @Test
    func `rehearse --json prints updates and a summary and is deterministic`() throws {
        let outcome = try RehearseTests.run(
            RehearseTests.track, options: ["--stream", "default", "--stream", "fitness", "--json"])
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
            RehearseTests.track, options: ["--stream", "default", "--stream", "fitness", "--json"])
        #expect(again.output == outcome.output)
    }

    @Test
    func `rehearse --summary prints no updates`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, options: ["--summary"])
        #expect(outcome.output.hasPrefix("12:00:00  no clients"))
    }

    @Test
    func `fence events carry the true crossing and its delay`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, options: ["--json"], fences: RehearseTests.home)
        #expect(outcome.status == 0 && outcome.errors == "")
        let objects = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let summary = try #require(objects.last)
        #expect(summary["missedCrossings"] == 0 && summary["falseCrossings"] == 0)
        let exit = try #require(summary["events"]?.array?.first { $0["kind"] == "left" })
        #expect(exit["identifier"] == "home" && exit["verdict"] == "right" && exit["state"] == "unsatisfied")
        #expect(
            exit["crossed"]?.string?.hasPrefix("2026-06-01T12:04:06") == true && (exit["delay"]?.double ?? 999) < 60)
        #expect(objects.dropLast().contains { $0["kind"] == "left" && $0["at"] == exit["told"] && $0["margin"] != nil })
        let text = try RehearseTests.run(RehearseTests.track, options: ["--summary"], fences: RehearseTests.home)
        #expect(text.output.contains("  home: left  ") && text.output.contains("after the crossing at 12:04:06"))
        #expect(text.output.contains("\nmissed     0\nfalse      0\n"))
    }

    @Test
    func `an unreadable fence file is reported with its reason and exits with 66`() throws {
        let outcome = try RehearseTests.run(RehearseTests.track, options: [], fences: "{}")
        #expect(
            outcome.status == 66 && outcome.errors.contains("home.geojson: type: GeoJSON must be an object"))
    }

    @Test
    func `an unusable track is reported with its reason and exits with 66`() throws {
        let untimed = RehearseTests.track.replacing("<time>2026-06-01T12:00:00Z</time>", with: "")
        let outcome = try RehearseTests.run(untimed, options: [])
        #expect(outcome.status == 66 && outcome.errors.contains("track.gpx: point 1 has no <time>"))
        let text = try RehearseTests.run("$GPGGA", options: [])
        #expect(text.status == 66 && text.errors.contains("track.gpx is not a GPX track"))
        let wrong = try RehearseTests.run(untimed, options: ["--fault", "unplug@1s"])
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
