import Chronology
import Locator
import Testing

@testable import Receivers

/// A receiver that sends in bursts, the kernel's buffer, and a reader that follows its schedule.
private struct Line {
    var schedule = ReadSchedule()
    var period: Int64 = 1000
    /// Milliseconds from the first line of a burst to its last.
    var length: Int64 = 500
    var lines = 10
    var lineBytes = 60
    /// The additional delay of each burst's end in milliseconds, by burst number.
    var jitter: (Int) -> Int64 = { _ in 0 }
    /// The unread bytes, and whether the last of them is the last line of a burst.
    private(set) var waiting = 0
    private var endWaits = false
    private var isOpen = false
    private(set) var wakeups = 0
    private(set) var overflown = false
    /// Milliseconds from the end of each burst to the read that got it.
    private(set) var delays: [Int64] = []
    private var ends: [Int64] = []
    private(set) var time: Int64 = 0
    /// Whether the reader asks the schedule before each read.
    var leaves = false

    mutating func play(bursts: Range<Int>) {
        for burst in bursts {
            for line in 0..<lines {
                pass(
                    to: Int64(burst) * period + length * Int64(line) / Int64(max(1, lines - 1))
                        + (line == lines - 1 ? jitter(burst) : 0))
                waiting += lineBytes
                overflown = overflown || waiting > 4095
                endWaits = line == lines - 1
                if endWaits { ends.append(time) }
                guard schedule.wakesOnData else { continue }
                if leaves, schedule.shouldDeferRead(at: Instant(nanoseconds: time * 1_000_000)) {
                    wakeups += 1
                } else {
                    wake()
                }
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
        // The unread bytes may end in the middle of a burst: its first line completes the epochs
        // before it.
        let closed = ends.count
        isOpen = waiting == 0 ? isOpen : !endWaits
        delays += ends.map { time - $0 }
        ends = []
        schedule.read(waiting, closed: closed, isOpen: isOpen, at: Instant(nanoseconds: time * 1_000_000))
        (waiting, endWaits) = (0, false)
    }
}

@Suite struct ReadScheduleTests {
    @Test func `immediate reads wake for every line`() {
        var line = Line()
        line.play(bursts: 0..<100)
        #expect(line.wakeups == 1000)
        #expect(line.delays.allSatisfy { $0 == 0 })
    }

    /// The target for power use: at most 1.3 wakeups per fix at 1 Hz, 9600 baud and ten lines.
    @Test func `a burst causes about one wakeup`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.play(bursts: 0..<20)
        let learning = line.wakeups
        line.play(bursts: 20..<620)
        #expect(Double(line.wakeups - learning) / 600 < 1.3)
        #expect(line.delays.allSatisfy { $0 <= 60 })
    }

    @Test func `a long read interval causes few wakeups`() {
        var line = Line()
        line.schedule.setPolicy(.interval(.seconds(5)), at: .zero)
        line.play(bursts: 0..<20)
        let learning = line.wakeups
        line.play(bursts: 20..<620)
        #expect(Double(line.wakeups - learning) / 600 < 0.5)
        #expect(!line.overflown)
        #expect(line.delays.allSatisfy { $0 <= 5100 })
    }

    @Test(arguments: [60, 90, 250, 400])
    func `the kernel buffer never overflows`(lineBytes: Int) {
        var line = Line()
        line.lineBytes = lineBytes
        line.schedule.setPolicy(.interval(.seconds(300)), at: .zero)
        line.play(bursts: 0..<300)
        #expect(!line.overflown)
    }

    @Test func `the schedule follows a drifting clock`() {
        // 200 parts per million: an uncompensated crystal at the edge of its temperature range.
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.jitter = { Int64($0) / 5 }
        line.play(bursts: 0..<400)
        #expect(line.delays.dropFirst(20).allSatisfy { $0 <= 100 })
        #expect(line.wakeups < 400 * 13 / 10 + 60)
    }

    @Test func `a burst that ends late is read completely`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.jitter = { $0 == 50 ? 200 : 0 }
        line.play(bursts: 0..<100)
        line.pass(to: 101_000)
        #expect(line.delays.max() ?? 0 <= 60)
        #expect(line.delays.count == 100)
    }

    @Test func `a receiver that stops sending causes at most two wakeups`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.play(bursts: 0..<50)
        let before = line.wakeups
        line.pass(to: 1_000_000)
        #expect(line.wakeups - before <= 2)
        #expect(line.schedule.wakesOnData)
    }

    @Test func `a changed fix rate is learned`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.play(bursts: 0..<30)
        line.period = 200
        line.length = 60
        line.lines = 4
        let start = Int(line.time / 200) + 2
        line.play(bursts: start..<(start + 20))
        let before = line.wakeups
        line.play(bursts: (start + 20)..<(start + 520))
        #expect(Double(line.wakeups - before) / 500 < 1.3)
        #expect(line.delays.suffix(500).allSatisfy { $0 <= 60 })
    }

    /// A receiver that wakes every few minutes: its burst length and period are known, but its
    /// phase is new.
    @Test func `after a pause the first bursts cause few extra wakeups`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.leaves = true
        line.play(bursts: 0..<30)
        line.pass(to: 299_000)
        let before = line.wakeups
        line.play(bursts: 300..<307)
        line.pass(to: 307_300)
        #expect(line.wakeups - before <= 9)
        #expect(line.delays.suffix(7).allSatisfy { $0 <= 60 })
    }

    @Test func `bytes left in the buffer are read at the end of the burst`() {
        var schedule = ReadSchedule()
        func leaves(_ milliseconds: Int64) -> Bool {
            schedule.shouldDeferRead(at: Instant(nanoseconds: milliseconds * 1_000_000))
        }
        schedule.setPolicy(.everyBurst, at: .zero)
        // Nothing is known about the bursts yet.
        #expect(leaves(0) == false)
        schedule.read(60, closed: 0, isOpen: true, at: .zero)
        schedule.read(60, closed: 1, isOpen: false, at: Instant(nanoseconds: 250_000_000))
        #expect(leaves(1000) == true)
        #expect(!schedule.wakesOnData && schedule.deadline == Instant(nanoseconds: 1_275_000_000))
        // The burst is not over: the rest is read as it arrives.
        schedule.read(60, closed: 0, isOpen: true, at: Instant(nanoseconds: 1_275_000_000))
        #expect(schedule.wakesOnData && leaves(1300) == false)
        schedule.setPolicy(.immediate, at: .zero)
        #expect(leaves(9000) == false)
    }

    @Test func `bytes after a command are read as they arrive`() {
        var line = Line()
        line.schedule.setPolicy(.interval(.seconds(4)), at: .zero)
        line.play(bursts: 0..<30)
        #expect(!line.schedule.wakesOnData)
        line.schedule.wrote()
        #expect(line.schedule.wakesOnData && line.schedule.deadline == nil)
    }

    @Test func `a change to immediate reads takes effect at once`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.play(bursts: 0..<30)
        line.schedule.setPolicy(.immediate, at: .zero)
        #expect(line.schedule.wakesOnData)
        #expect(line.schedule.deadline == nil)
    }

    @Test func `irregular bursts are read as they arrive`() {
        var line = Line()
        line.schedule.setPolicy(.everyBurst, at: .zero)
        line.jitter = { Int64($0 * 7919 % 400) }
        line.lines = 2
        line.length = 100
        line.play(bursts: 0..<100)
        #expect(line.delays.count == 100)
    }

    @Test func `replies are batched when low latency is not needed`() {
        var schedule = ReadSchedule()
        let hurried = schedule.shouldDeferRead(at: .zero, mayReceiveReplies: true)
        schedule.setPolicy(.everyBurst, at: .zero)
        let (quiet, talking) = (
            schedule.shouldDeferRead(at: .zero), schedule.shouldDeferRead(at: .zero, mayReceiveReplies: true)
        )
        #expect(!hurried && !quiet && talking)
        #expect(schedule.deadline == Instant.zero + ReadSchedule.replyDelay)
        // A started epoch is read as it arrives, because a pause would be taken for its end.
        schedule.read(80, closed: 0, isOpen: true, at: Instant.zero + ReadSchedule.replyDelay)
        let isLeft = schedule.shouldDeferRead(at: .zero + .seconds(0.6), mayReceiveReplies: true)
        #expect(!isLeft)
    }

    @Test func `startup output is skipped until a deadline`() {
        var schedule = ReadSchedule()
        schedule.setPolicy(.everyBurst, at: .zero)
        schedule.wrote()
        schedule.ignoreInput(until: .zero + .seconds(1), at: .zero)
        #expect(!schedule.wakesOnData && schedule.deadline == .zero + .seconds(1))
        schedule.setPolicy(.immediate, at: .zero)
        #expect(schedule.wakesOnData)
    }

    @Test func `a last line in two pieces ends the burst`() {
        var schedule = ReadSchedule()
        schedule.setPolicy(.everyBurst, at: .zero)
        for burst in 0..<6 {
            let start = Instant.zero + .seconds(Double(burst))
            guard schedule.wakesOnData else { break }
            schedule.read(200, closed: 0, isOpen: true, at: start)
            // The epoch is complete, but the line after it is not.
            schedule.read(200, closed: 1, isOpen: true, at: start + .milliseconds(400))
            schedule.read(20, closed: 0, isOpen: false, at: start + .milliseconds(420))
        }
        #expect(!schedule.wakesOnData)
    }
}
