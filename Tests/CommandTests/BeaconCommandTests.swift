import SextantAPI
import Testing
import Varlink

@testable import sextant

/// `sextant beacons`, and conditions on beacons.
@Suite("Beacons", .utc)
struct BeaconCommandTests {
    private static let uuid = "F7826DA6-4FA4-4E98-8024-BC5B71E0893E"
    private static let full = """
        {"beacons":[{"accuracy":2.56,"beacon":{"major":1,"minor":2,"uuid":"\(uuid)"},"rssi":-64.5,\
        "timestamp":"2026-11-21T07:22:02.000Z","zone":"near"},{"beacon":{"uuid":"\(uuid)"},\
        "timestamp":"2026-11-21T07:22:01.000Z","zone":"unknown"}]}
        """

    private func run(_ reply: String, _ more: String...) throws -> FakeDaemon.Outcome {
        let daemon = FakeDaemon(results: [BeaconMethods.range.name: .reply(reply)])
        return try daemon.run(["beacons"] + more + ["--duration", "0.5"])
    }

    @Test func `beacons are a table or JSON, with what is not known as a dash`() throws {
        let plain = try run(Self.full)
        let lines = plain.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "ZONE WITHIN SIGNAL BEACON", "near 2.6 m -65 dBm \(Self.uuid)/1/2", "unknown - - \(Self.uuid)",
            ])
        #expect(plain.calls.map(\.method) == [BeaconMethods.range.name] && plain.calls[0].mode == .more)
        #expect(try run(Self.full, "--json").output == Self.full + "\n")
        #expect(try run(#"{"beacons":[]}"#).output == "no beacon in range\n\n")
        #expect(try run(#"{"beacons":[],"problem":"no adapter"}"#).output == "no adapter\n\n")
    }

    @Test func `on a narrow terminal the numbers of a beacon are below its UUID`() throws {
        let reply = try Sample.read(Self.full, as: BeaconsInRange.self)
        let lines = BeaconTableView.lines(of: reply, columns: 40)
        #expect(lines.contains("  \(Self.uuid)") && lines.contains("  /1/2") && !lines.joined().contains("…"))
    }

    @Test func `a beacon is asked for by its UUID and numbers`() throws {
        let outcome = try run(#"{"beacons":[]}"#, "list", "\(Self.uuid)/1")
        #expect(outcome.calls.first?.parameters == ["beacon": ["uuid": .string(Self.uuid), "major": 1]])
        for bad in ["x", "\(Self.uuid)/70000", "\(Self.uuid)/1/2/3"] {
            #expect(try run(#"{"beacons":[]}"#, "list", bad).status == 64)
        }
    }

    @Test func `a denial exits with the status of one`() throws {
        let outcome = try run(#"{"beacons":[],"permissionDenied":"denied by user 0"}"#)
        #expect(outcome.status == ExitStatus.notPermitted.rawValue && outcome.errors.contains("denied by user 0"))
    }

    @Test func `fence add --beacon adds a condition on beacons, and no shape beside it`() throws {
        let beacon: JSONValue = ["uuid": .string(Self.uuid), "major": 1, "minor": 2]
        let condition = #"{"identifier":"door","beacon":{"uuid":"\#(Self.uuid)","major":1,"minor":2}}"#
        let record = FenceSample.record().replacing(FenceSample.condition, with: condition)
        let daemon = FakeDaemon(results: [
            MonitorMethods.add.name: .reply(#"{"added":1,"replaced":0,"unmonitored":[]}"#),
            MonitorMethods.getRecord.name: .reply(#"{"record":\#(record)}"#),
        ])
        let outcome = try daemon.run(["fence", "add", "door", "--beacon", "\(Self.uuid)/1/2", "--dwell", "60"])
        let added = outcome.calls.first?.parameters["conditions"]?.array?.first
        #expect(added?["beacon"] == beacon && added?["circle"] == nil && added?["dwell"]?.double == 60)
        for more in [["--circle", "1,2,300"], ["--visits"], ["--significant-change"]] {
            #expect(try daemon.run(["fence", "add", "door", "--beacon", Self.uuid] + more).status == 64)
        }
        #expect(try daemon.run(["fence", "add", "door", "--beacon", "x"]).status == 64)
    }
}
