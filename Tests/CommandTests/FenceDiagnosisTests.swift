import Chronology
import SextantAPI
import Testing

@testable import sextant

@Suite("Diagnosis of a fence")
struct FenceDiagnosisTests {
    private static let now = UTCTime(rfc3339: "2026-11-21T07:30:00Z") ?? UTCTime(milliseconds: 0)

    private func firstWrong(
        monitor: String = FenceSample.monitor(), accuracy: Double? = 3,
        change: (inout ConditionRecord) -> Void = { _ in }
    ) throws -> Check.Subject? {
        var record: ConditionRecord = try Sample.read(FenceSample.record())
        change(&record)
        let diagnosis = FenceDiagnosis(
            record: record, monitor: try Sample.read(monitor), accuracy: accuracy, now: FenceDiagnosisTests.now)
        #expect(
            diagnosis.checks.count == 9 && diagnosis.checks.allSatisfy { ($0.state == .wrong) == ($0.remedy != nil) })
        return diagnosis.checks.first { $0.state == .wrong }?.check
    }

    @Test
    func `events are not called recorded while the daemon cannot write`() throws {
        let diagnosis = FenceDiagnosis(
            record: try Sample.read(FenceSample.record()), monitor: try Sample.read(FenceSample.monitor()), accuracy: 3,
            now: FenceDiagnosisTests.now,
            stateProblem: StateProblem(cause: .full, reason: "0 KiB are free", remedy: "free space"))
        let wrong = try #require(diagnosis.checks.first { $0.state == .wrong })
        #expect(wrong.check == .store && wrong.finding.contains("events cannot be recorded"))
        #expect(wrong.command == "sextant doctor")
    }

    @Test
    func `a condition on a beacon without a receiver of beacons names the reason`() throws {
        var record: ConditionRecord = try Sample.read(FenceSample.record())
        record.state = .unmonitored
        record.conditionUnsupported = "sextant-beacons does not run"
        let diagnosis = FenceDiagnosis(
            record: record, monitor: try Sample.read(FenceSample.monitor()), accuracy: 3, now: FenceDiagnosisTests.now)
        let wrong = try #require(diagnosis.checks.first { $0.state == .wrong })
        #expect(wrong.check == .watched && wrong.finding.contains("sextant-beacons does not run"))
        #expect(wrong.command == "systemctl status sextant-beacons.path")
    }

    @Test
    func `a healthy fence passes all checks`() throws { #expect(try firstWrong() == nil) }

    @Test
    func `each possible problem of a fence is found`() throws {
        #expect(try firstWrong { $0.conditionLimitExceeded = true } == .watched)
        #expect(try firstWrong { $0.condition.expiry = "2026-11-21T07:29:59.000Z" } == .watched)
        #expect(try firstWrong { $0.persistenceUnavailable = true } == .store)
        #expect(try firstWrong(accuracy: nil) == .position)
        #expect(try firstWrong { $0.radiusTooSmall = true } == .size)
        #expect(try firstWrong(monitor: FenceSample.monitor("")) == .listener)
        let event: Event = try Sample.read(FenceSample.event(3))
        #expect(try firstWrong { $0.pending = event } == nil)
        #expect(
            try firstWrong {
                $0.pending = event
                $0.isMorePending = true
            } == .pending)
    }
}
