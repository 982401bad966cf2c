import ArgumentParser
import CLinux
import Glibc
import TestSupport
import Testing
import Varlink

@testable import sextant

@Suite("Replay with fences from a file")
struct ReplayFencesTests {
    /// One minute east at 12 m/s, then one minute at rest, as GGA and RMC.
    private static let capture = (0..<120).map { second -> String in
        let east = 0.1 + Double(min(second, 60)) * 0.0104
        let minutes = DecimalText.padded(DecimalText.text(east, decimals: 5), to: 8)
        let time = "1200\(DecimalText.padded(String(second), to: 2)).00"
        let clock = second < 60 ? time : "1201\(DecimalText.padded(String(second - 60), to: 2)).00"
        let speed = second < 60 ? "23.3" : "0.0"
        return SentenceLine.text("GPRMC,\(clock),A,5130.00000,N,000\(minutes),E,\(speed),90.0,010626,,,A")
            + SentenceLine.text("GPGGA,\(clock),5130.00000,N,000\(minutes),E,1,09,0.9,40.0,M,46.0,M,,")
    }.joined()

    /// A circle of 90 m around the place of the stop.
    private static let halt =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[0.0120667,51.5]},"#
        + #""properties":{"identifier":"halt","radius":90}}"#

    private static func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    private static func replay(fences: String?, options: [String] = ["--emit", "events"]) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let scratch = try Scratch()
        try write(capture, to: scratch.path + "/drive.nmea")
        if let fences { try write(fences, to: scratch.path + "/fences.geojson") }
        let program = try Program(
            ["replay", "--fences", scratch.path + "/fences.geojson"] + options + [scratch.path + "/drive.nmea"])
        while !program.drain() {
            var pipes = program.openPipes.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&pipes, nfds_t(pipes.count), 60_000) > 0 else { throw TestFailure("the program does not end") }
        }
        return (program.status(), program.output, program.errors)
    }

    @Test
    func `replay --emit events prints one JSON object per line`() throws {
        let outcome = try Self.replay(fences: Self.halt)
        #expect(outcome.status == 0 && outcome.errors == "")
        let lines = try outcome.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(lines.map { $0["state"] } == ["unsatisfied", "satisfied"])
        #expect(
            lines.map { $0["kind"] } == ["determined", "entered"] && lines.allSatisfy { $0["identifier"] == "halt" })
        let entered = try #require(lines.last)
        let date = try #require(entered["date"]?.string)
        #expect(date >= "2026-06-01T12:00:45" && date <= "2026-06-01T12:01:10")
        #expect((entered["margin"]?.double ?? 0) > 0 && entered["location"]?["latitude"] != nil)
    }

    @Test
    func `a missing or empty fence file is named and exits with 66`() throws {
        let missing = try Self.replay(fences: nil)
        #expect(
            missing.status == 66 && missing.errors.contains("cannot read the GeoJSON file")
                && missing.errors.contains("fences.geojson"))
        let empty = try Self.replay(fences: #"{"type":"FeatureCollection","features":[]}"#)
        #expect(empty.status == 66 && empty.errors.contains("contains no conditions"))
    }

    @Test
    func `an invalid fence file is reported with feature and member and exits with 66`() throws {
        let wrong = try Self.replay(
            fences: #"{"type":"FeatureCollection","features":[\#(Self.halt.replacing("90}", with: "-90}"))]}"#)
        let reason =
            "feature 1 (\"halt\"): properties.radius: must be a number of metres above 0 and at most 1000000"
        #expect(wrong.status == 66 && wrong.errors.contains("fences.geojson: \(reason)"))
        let twice = try Self.replay(fences: #"{"type":"FeatureCollection","features":[\#(Self.halt),\#(Self.halt)]}"#)
        #expect(twice.status == 66 && twice.errors.contains("feature 1 already has this name"))
        let text = try Self.replay(fences: "north of the river")
        #expect(text.status == 66 && text.errors.contains("invalid JSON at line 1, column 2"))
    }

    @Test
    func `incompatible options exit with 64`() throws {
        let fixes = try Self.replay(fences: Self.halt, options: [])
        #expect(fixes.status == 64 && fixes.errors.contains("--fences requires --emit events"))
        #expect(throws: (any Error).self) { try Sextant.parseAsRoot(["replay", "--emit", "events", "a.nmea"]) }
        #expect(throws: (any Error).self) {
            try Sextant.parseAsRoot(["replay", "--emit", "events", "--fences", "a", "--format", "gpsd", "a.nmea"])
        }
        #expect(throws: (any Error).self) {
            try Sextant.parseAsRoot(["replay", "--emit", "events", "--fences", "-", "-"])
        }
    }
}
