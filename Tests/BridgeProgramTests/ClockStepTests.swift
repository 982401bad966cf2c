import Bridges
import Chronology
import DaemonSupport
import Glibc
import ServiceRuntime
import SextantAPI
import TestSupport
import Testing

@testable import sextant_bridge

/// The step of the clock at the start of a device, and what is kept of the delays.
@Suite struct ClockStepTests {
    private static let delay = ByteDelay(0.26, uncertainty: 0.2, .family)
    /// 2026-11-27T00:00:00Z
    private static let midnight: Int64 = 1_795_737_600

    private static func sample(clock: Int64, offset: Double) -> TimeSample {
        TimeSample(moment: .firstByte, seconds: clock, nanoseconds: 0, offset: offset)
    }

    /// Performs a step on a clock that shows `clock` and half a second.
    private static func perform(
        clock: Int64, offset: Double, error: Instant.Span? = nil, refusal: Int32? = nil
    ) throws -> (text: String, time: timespec?) {
        var found: timespec?
        let step = ClockStep(
            synchronizedError: { error }, time: { (clock, 500_000_000) },
            set: { time in
                found = time
                guard let refusal else { return 0 }
                errno = refusal
                return -1
            })
        return (try step.perform(by: sample(clock: clock, offset: offset), delay), found)
    }

    @Test func `a clock that starts in 1970 is set once`() throws {
        let done = try ClockStepTests.perform(clock: 60, offset: Double(ClockStepTests.midnight) + 0.75)
        #expect(done.time?.tv_sec == Int(ClockStepTests.midnight) + 61 && done.time?.tv_nsec == 250_000_000)
        #expect(done.text.hasPrefix("set the clock from 1970-01-01T00:01:00.000Z to 2026-11-27T00:01:01.000Z"))
        #expect(done.text.hasSuffix("right to 0.2 s"))
    }

    @Test func `a synchronised clock, and one that is right, are not set`() throws {
        let synchronized = try ClockStepTests.perform(
            clock: 60, offset: Double(ClockStepTests.midnight), error: .seconds(1))
        #expect(synchronized.time == nil && synchronized.text == ClockStep.synchronizedText)
        let right = try ClockStepTests.perform(clock: ClockStepTests.midnight, offset: -0.9)
        #expect(right.time == nil && right.text.contains("within 1.0 s"))
        // A day ahead is wrong.
        #expect(try ClockStepTests.perform(clock: ClockStepTests.midnight + 172_800, offset: -86_400).time != nil)
    }

    @Test func `an old date and a refusal are named`() {
        #expect(throws: ClockStep.Failure.self) {
            try ClockStepTests.perform(clock: 60, offset: 1_000_000_000)
        }
        // A rollover too many, of 1024 weeks.
        #expect(throws: ClockStep.Failure.self) {
            try ClockStepTests.perform(clock: 60, offset: Double(ClockStepTests.midnight + 1024 * 604_800))
        }
        do {
            _ = try ClockStepTests.perform(clock: 60, offset: Double(ClockStepTests.midnight), refusal: EPERM)
            Issue.record("the refusal is not noticed")
        } catch {
            #expect("\(error)".contains("setting the clock to 2026-11-27T00:01:00.000Z: Operation not permitted"))
            #expect("\(error)".contains("systemctl start sextant-time-step"))
        }
        #expect("\(ClockStep.Failure.implausible(UTCTime(milliseconds: 0)))".contains("restart the receiver"))
    }

    @Test func `the step ends without a position once the network has set the clock`() throws {
        let scratch = try Scratch()
        let loop = try EventLoop()
        let log = ProgramLog(name: "test")
        let step = ClockStep(synchronizedError: { .seconds(1) }, set: { _ in -1 })
        let bridge = try TimeBridge(
            socket: scratch("none"), outputs: .init(chrony: nil, memoryUnit: nil, step: step),
            store: DelayStore(directory: nil, log: log), interval: .seconds(30), loop: loop, log: log)
        #expect(try withExtendedLifetime(bridge) { try loop.run() } == 0)
    }

    private static var receiver: TimedReceiver {
        let counts = ReceiverCounts(
            bytes: 0, sentences: 0, unknown: 0, epochs: 0, fixes: 0, checksumErrors: 0, missingChecksums: 0,
            overlong: 0, truncated: 0, malformed: 0, strayBytes: 0)
        return TimedReceiver(
            Receiver(
                name: "tty1", port: "/dev/tty1", says: [], state: .hasFix, isPrimary: true, counts: counts,
                satellites: []))
    }

    private static func learn(_ store: DelayStore, _ numbers: Range<Int>) {
        for index in numbers {
            _ = store.learn(
                sample(clock: 0, offset: -0.3), of: receiver, clockError: .milliseconds(5),
                at: .zero + .seconds(Double(index) * 64))
        }
    }

    @Test func `learned delays survive a crash, and are written when they become known and then hourly`() throws {
        let scratch = try Scratch()
        let log = ProgramLog(name: "test")
        let path = scratch(LearnedDelays.fileName)
        let store = DelayStore(directory: scratch.path, log: log)
        ClockStepTests.learn(store, 0..<15)
        #expect(access(path, F_OK) != 0)
        ClockStepTests.learn(store, 15..<16)
        let first = DelayStore(directory: scratch.path, log: log).delays
        let delay = first.delay(of: ClockStepTests.receiver, for: .firstByte)
        #expect(delay.source == .learned && abs(delay.seconds - 0.3) < 0.005)
        ClockStepTests.learn(store, 16..<60)
        #expect(DelayStore(directory: scratch.path, log: log).delays == first)
        ClockStepTests.learn(store, 60..<80)
        #expect(DelayStore(directory: scratch.path, log: log).delays != first)
        // What a signal ends is written too.
        store.save()
        #expect(DelayStore(directory: scratch.path, log: log).delays == store.delays)
    }

    @Test func `a damaged file and a missing directory do not stop the measurements`() throws {
        let scratch = try Scratch()
        let log = ProgramLog(name: "test")
        _ = try scratch.write("{\"receivers\":7", to: LearnedDelays.fileName)
        let store = DelayStore(directory: scratch.path, log: log)
        #expect(store.delays == LearnedDelays())
        ClockStepTests.learn(store, 0..<20)
        #expect(
            DelayStore(directory: scratch.path, log: log).delays.delay(
                of: ClockStepTests.receiver, for: .firstByte
            ).source == .learned)
        let homeless = DelayStore(directory: scratch("none"), log: log)
        ClockStepTests.learn(homeless, 0..<20)
        #expect(homeless.delays.delay(of: ClockStepTests.receiver, for: .firstByte).source == .learned)
        let forgetful = DelayStore(directory: nil, log: log)
        ClockStepTests.learn(forgetful, 0..<20)
        forgetful.save()
    }
}
