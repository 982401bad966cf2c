import Chronology
import SextantAPI
import Testing
import Varlink
import VarlinkClient

@testable import sextant

@Suite("Motion sources")
struct MotionTests {
    private static let now = UTCTime(rfc3339: "2026-11-21T07:30:00Z") ?? UTCTime(milliseconds: 0)

    private static func source(
        _ name: String, _ trust: String, activity: String = "armed", more: String = ""
    ) -> String {
        """
        {"name":"\(name)","kind":"report","activity":"\(activity)","trust":"\(trust)","departures":2,"reports":1234,\
        "falseChecks":3\(more)}
        """
    }

    private static func reply(_ sources: [String], use: String = "auto", rare: Bool = false) -> String {
        #"{"use":"\#(use)","rareChecks":\#(rare),"sources":[\#(sources.joined(separator: ","))]}"#
    }

    static let several = reply(
        [
            source("ignition", "trusted", more: #","lastReport":"2026-11-21T07:28:00.000Z""#),
            source("door", "unproven"),
            source("lid", "deaf", activity: "idle", more: #","distrustedUntil":"2026-11-28T07:30:00.000Z""#),
            source("tilt", "unproven", activity: "absent", more: #","problem":"opening /dev/x: Permission denied""#),
            source("wind", "nervous", more: #","distrustedUntil":"2026-11-28T07:30:00.000Z""#),
            source("old", "trusted", activity: "absent"),
        ], rare: true)

    @Test
    func `motion prints a row per source and how often a device at rest is checked`() throws {
        let lines = MotionTable(try Sample.read(MotionTests.several), now: MotionTests.now).lines(columns: nil)
        let until = TimeText.moment("2026-11-28T07:30:00.000Z")
        #expect(lines.count == 9 && lines[0].hasPrefix("SENSOR    STATE   TRUST"))
        #expect(lines[1].hasPrefix("ignition  armed   trusted ") && lines[1].contains("1,234  2 min 0 s ago"))
        #expect(lines[2].contains("unproven, 2 of 3 departures") && lines[3].contains("deaf until \(until)"))
        #expect(lines[8] == "The device is at rest, and is checked once an hour while trusted sources are silent.")
        for (use, text) in [("wakeOnly", "\"wake-only\""), ("off", "ignored"), ("auto", "none is trusted")] {
            #expect(MotionTable.checks(try Sample.read(MotionTests.reply([], use: use))).contains(text))
        }
    }

    @Test
    func `the diagnosis names each source that cannot be read or that proved unreliable`() throws {
        let diagnosis = MotionDiagnosis(reply: try Sample.read(MotionTests.several))
        #expect(!diagnosis.checks.isHealthy)
        #expect(diagnosis.checks.map(\.check) == [.motion] + Array(repeating: .source, count: 6))
        #expect(diagnosis.checks.map(\.state) == [.ok, .ok, .ok, .wrong, .wrong, .wrong, .skipped])
        #expect(diagnosis.checks.allSatisfy { ($0.state == .wrong) == ($0.remedy != nil) })
        #expect(diagnosis.checks[4].finding == "tilt cannot be read: opening /dev/x: Permission denied")
        let remedies = try ["absent", "busy", "denied"].map { activity in
            let source = MotionTests.source("tilt", "unproven", activity: activity, more: #","problem":"opening""#)
            let reply: MotionSourcesReply = try Sample.read(MotionTests.reply([source]))
            return try #require(MotionDiagnosis(reply: reply).checks[1].remedy)
        }
        #expect(Set(remedies).count == 3 && remedies[2].contains("access"))
        let none = MotionDiagnosis(reply: try Sample.read(MotionTests.reply([])))
        #expect(none.checks.isHealthy && none.checks.map(\.state) == [.skipped])
    }

    @Test
    func `the diagnosis of a fence states the delay that holds now`() throws {
        #expect(MotionDiagnosis.promise(nil, hasPosition: true).state == .skipped)
        // Without sky there is nothing to promise.
        #expect(
            MotionDiagnosis.promise(try Sample.read(MotionTests.several), hasPosition: false).finding
                == "without a position, a crossing is published once there is one again")
        let without = MotionDiagnosis.promise(try Sample.read(MotionTests.reply([])), hasPosition: true)
        #expect(without.finding == "a crossing is published within a minute of a departure")
        let with = MotionDiagnosis.promise(try Sample.read(MotionTests.several), hasPosition: true)
        #expect(with.finding.contains("a report of ignition, old,") && with.finding.contains("within an hour"))
    }

    @Test
    func `the doctor exits with 2 if a source is distrusted`() throws {
        let daemon = FakeDaemon(results: [ManagerMethods.getMotionSources.name: .reply(MotionTests.several)])
        #expect(try daemon.run(["doctor", "motion"]).status == 2)
    }

    @Test
    func `motion report passes the name on, and refuses one that cannot be a name`() throws {
        let report = ManagerMethods.reportMotion.name
        let daemon = FakeDaemon(results: [report: .reply("{}")])
        let outcome = try daemon.run(["motion", "report", "ignition"])
        #expect(
            outcome.status == 0 && outcome.output == "" && outcome.calls.map(\.parameters) == [["source": "ignition"]])
        #expect(try daemon.run(["motion", "report", "a b"]).status == 64)
        let forget = ManagerMethods.forgetMotionSource.name
        let forgotten = try FakeDaemon(results: [forget: .reply("{}")]).run(["motion", "forget", "ignition"])
        #expect(forgotten.status == 0 && forgotten.calls.map(\.parameters) == [["source": "ignition"]])
    }

    @Test
    func `a refusal of the daemon names the reason`() throws {
        let refused = ManagerError.motionReportNotAllowed(detail: "65534 may not report motion: add it")
        let error = CommandError(daemon: .failed(method: "m", error: refused.reply))
        #expect(error.exitStatus == .notPermitted && "\(error)".contains("65534 may not report motion: add it"))
        let full = CommandError(daemon: .failed(method: "m", error: ManagerError.tooManyMotionSources(limit: 16).reply))
        #expect("\(full)".contains("there are 16 motion sources"))
        let unknown = ManagerError.noSuchMotionSource(source: "x").reply
        #expect("\(CommandError(daemon: .failed(method: "m", error: unknown)))".contains("no motion source x"))
    }
}
