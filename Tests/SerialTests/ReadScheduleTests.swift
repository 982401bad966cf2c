import Chronology
import Testing

@testable import Serial

/// A receiver that talks in bursts, the kernel's buffer, and a reader that keeps to its schedule.
private struct Line {
    var schedule = ReadSchedule()
    var period: Int64 = 1000
    /// Milliseconds from the first line of a burst to its last.
    var length: Int64 = 500
    var lines = 10
    var lineBytes = 60
    /// How much later each burst ends than it should, by its number.
    var jitter: (Int) -> Int64 = { _ in 0 }
    /// What has arrived and is not read: bytes, and whether the last line of a burst is among them and the last thing.
    private(set) var waiting = 0
    private var endWaits = false
    private var isOpen = false
    private(set) var wakeups = 0
    private(set) var overflown = false
    /// Milliseconds from each burst's end to the read that had it.
    private(set) var delays: [Int64] = []
    private var ends: [Int64] = []
    private(set) var time: Int64 = 0
    /// Whether the reader asks before he reads.
    var leaves = false

    mutating func play(bursts: Range<Int>) {
        for burst in bursts {
            for line in 0..<lines {
                pass(to: Int64(burst) * period + length * Int64(line) / Int64(max(1, lines - 1)) + (line == lines - 1 ? jitter(burst) : 0))
                waiting += lineBytes
                overflown = overflown || waiting > 4095
                endWaits = line == lines - 1
                if endWaits { ends.append(time) }
                guard schedule.watches else { continue }
                if leaves, schedule.leaves(at: Instant(nanoseconds: time * 1_000_000)) { wakeups += 1 } else { wake() }
            }
        }
    }

    mutating func pass(to end: Int64) {
        while let due = schedule.deadline?.nanoseconds, due <= end * 1_000_000 {
            time = max(time, due / 1_000_000)
            wake()
        }
        time = max(time, end)
    }

    private mutating func wake() {
        wakeups += 1
        // What waits may end in the middle of a burst: the epochs before it are closed by its first line.
        let closed = ends.count
        isOpen = waiting == 0 ? isOpen : !endWaits
        delays += ends.map { time - $0 }
        ends = []
        schedule.read(waiting, closed: closed, isOpen: isOpen, at: Instant(nanoseconds: time * 1_000_000))
        (waiting, endWaits) = (0, false)
    }
}

@Suite struct ReadScheduleTests {
    @Test func inHasteEveryLineWakes() {
        var line = Line()
        line.play(bursts: 0..<100)
        #expect(line.wakeups == 1000)
        #expect(line.delays.allSatisfy { $0 == 0 })
    }

    /// The figure of the power issue: at most 1.3 wakeups a fix at 1 Hz, 9,600 baud and ten lines.
    @Test func aBurstIsOneWakeup() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.play(bursts: 0..<20)
        let learning = line.wakeups
        line.play(bursts: 20..<620)
        #expect(Double(line.wakeups - learning) / 600 < 1.3)
        #expect(line.delays.allSatisfy { $0 <= 60 })
    }

    @Test func whoIsServedSeldomWakesSeldom() {
        var line = Line()
        line.schedule.setPace(.atMostEvery(.seconds(5)))
        line.play(bursts: 0..<20)
        let learning = line.wakeups
        line.play(bursts: 20..<620)
        #expect(Double(line.wakeups - learning) / 600 < 0.5)
        #expect(!line.overflown)
        #expect(line.delays.allSatisfy { $0 <= 5100 })
    }

    @Test(arguments: [60, 90, 250, 400])
    func theKernelsBufferNeverOverflows(lineBytes: Int) {
        var line = Line()
        line.lineBytes = lineBytes
        line.schedule.setPace(.atMostEvery(.seconds(300)))
        line.play(bursts: 0..<300)
        #expect(!line.overflown)
    }

    @Test func clocksThatDriftAreFollowed() {
        // 200 parts per million: an uncompensated crystal at the edge of its range.
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.jitter = { Int64($0) / 5 }
        line.play(bursts: 0..<400)
        #expect(line.delays.dropFirst(20).allSatisfy { $0 <= 100 })
        #expect(line.wakeups < 400 * 13 / 10 + 60)
    }

    @Test func aBurstThatEndsLateIsWaitedFor() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.jitter = { $0 == 50 ? 200 : 0 }
        line.play(bursts: 0..<100)
        line.pass(to: 101_000)
        #expect(line.delays.max() ?? 0 <= 60)
        #expect(line.delays.count == 100)
    }

    @Test func aReceiverThatFallsSilentCausesOneWakeup() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.play(bursts: 0..<50)
        let before = line.wakeups
        line.pass(to: 1_000_000)
        #expect(line.wakeups - before <= 2)
        #expect(line.schedule.watches)
    }

    @Test func anotherRateIsLearned() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.play(bursts: 0..<30)
        (line.period, line.length, line.lines) = (200, 60, 4)
        let start = Int(line.time / 200) + 2
        line.play(bursts: start..<(start + 20))
        let before = line.wakeups
        line.play(bursts: (start + 20)..<(start + 520))
        #expect(Double(line.wakeups - before) / 500 < 1.3)
        #expect(line.delays.suffix(500).allSatisfy { $0 <= 60 })
    }

    /// A receiver that is looked at every few minutes: its length and period are known, its beat begins anew.
    @Test func afterARestABurstIsTwoWakeups() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.leaves = true
        line.play(bursts: 0..<30)
        line.pass(to: 299_000)
        let before = line.wakeups
        line.play(bursts: 300..<307)
        line.pass(to: 307_300)
        #expect(line.wakeups - before <= 9)
        #expect(line.delays.suffix(7).allSatisfy { $0 <= 60 })
    }

    @Test func whatIsLeftIsReadWhenTheBurstIsOver() {
        var schedule = ReadSchedule()
        func leaves(_ milliseconds: Int64) -> Bool { schedule.leaves(at: Instant(nanoseconds: milliseconds * 1_000_000)) }
        schedule.setPace(.everyBurst)
        // Nothing is known of its bursts yet.
        #expect(leaves(0) == false)
        schedule.read(60, closed: 0, isOpen: true, at: .zero)
        schedule.read(60, closed: 1, isOpen: false, at: Instant(nanoseconds: 250_000_000))
        #expect(leaves(1000) == true)
        #expect(!schedule.watches && schedule.deadline == Instant(nanoseconds: 1_275_000_000))
        // Not over: the rest is waited for, and read as it comes.
        schedule.read(60, closed: 0, isOpen: true, at: Instant(nanoseconds: 1_275_000_000))
        #expect(schedule.watches && leaves(1300) == false)
        schedule.setPace(.atOnce)
        #expect(leaves(9000) == false)
    }

    @Test func whatFollowsACommandIsWatched() {
        var line = Line()
        line.schedule.setPace(.atMostEvery(.seconds(4)))
        line.play(bursts: 0..<30)
        #expect(!line.schedule.watches)
        line.schedule.wrote()
        #expect(line.schedule.watches && line.schedule.deadline == nil)
    }

    @Test func hasteTakesEffectAtOnce() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.play(bursts: 0..<30)
        line.schedule.setPace(.atOnce)
        #expect(line.schedule.watches)
        #expect(line.schedule.deadline == nil)
    }

    @Test func withoutRhythmEveryByteIsWatched() {
        var line = Line()
        line.schedule.setPace(.everyBurst)
        line.jitter = { Int64($0 * 7919 % 400) }
        line.lines = 2
        line.length = 100
        line.play(bursts: 0..<100)
        #expect(line.delays.count == 100)
    }

    @Test func answersAreGatheredWhereNobodyIsInAHurry() {
        var schedule = ReadSchedule()
        let hurried = schedule.leaves(at: .zero, isTalking: true)
        schedule.setPace(.everyBurst)
        let (quiet, talking) = (schedule.leaves(at: .zero), schedule.leaves(at: .zero, isTalking: true))
        #expect(!hurried && !quiet && talking)
        #expect(schedule.deadline == Instant.zero + ReadSchedule.talk)
        // An epoch that has begun is read as it comes: a pause would be taken for its end.
        schedule.read(80, closed: 0, isOpen: true, at: Instant.zero + ReadSchedule.talk)
        let isLeft = schedule.leaves(at: .zero + .seconds(0.6), isTalking: true)
        #expect(!isLeft)
    }

    @Test func whatAReceiverSaysAtItsStartIsPassedOver() {
        var schedule = ReadSchedule()
        schedule.setPace(.everyBurst)
        schedule.wrote()
        schedule.passOver(until: .zero + .seconds(1), at: .zero)
        #expect(!schedule.watches && schedule.deadline == .zero + .seconds(1))
        schedule.setPace(.atOnce)
        #expect(schedule.watches)
    }

    @Test func aLastLineInTwoPiecesEndsTheBurst() {
        var schedule = ReadSchedule()
        schedule.setPace(.everyBurst)
        for burst in 0..<6 {
            let start = Instant.zero + .seconds(Double(burst))
            guard schedule.watches else { break }
            schedule.read(200, closed: 0, isOpen: true, at: start)
            // The epoch is over, the line behind it is not.
            schedule.read(200, closed: 1, isOpen: true, at: start + .milliseconds(400))
            schedule.read(20, closed: 0, isOpen: false, at: start + .milliseconds(420))
        }
        #expect(!schedule.watches)
    }
}
