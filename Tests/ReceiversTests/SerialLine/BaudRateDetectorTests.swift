import Chronology
import Testing

@testable import Receivers

/// A receiver and a port drawn as text: one character is a tenth of a second.
///
/// `x` is garbled bytes, `G` a sentence with a correct checksum, `.` silence. Deadlines are kept to
/// a tenth of a second.
private struct Drawing {
    var detector: BaudRateDetector
    var now = Instant.zero
    /// The actions of the detector with the tenths since the start: "12:38400".
    var actions: [String] = []
    /// The number of deadlines that passed.
    var wakeups = 0

    init(present: Int? = 9600, saved: Int? = nil) {
        detector = BaudRateDetector(present: present, saved: saved)
    }

    mutating func play(_ drawing: String) {
        for stroke in drawing {
            if let deadline = detector.deadline, deadline <= now {
                wakeups += 1
                note(detector.tick(at: now))
            }
            switch stroke {
            case "x": note(detector.received(bytes: 10, goodSentences: 0, at: now))
            case "G": note(detector.received(bytes: 70, goodSentences: 1, at: now))
            default: break
            }
            now = now + .milliseconds(100)
        }
    }

    private mutating func note(_ action: BaudRateDetector.Action?) {
        let tenth = now.nanoseconds / 100_000_000
        switch action {
        case .setBaud(let baudRate): actions.append("\(tenth):\(baudRate)")
        case .locked(let baudRate): actions.append("\(tenth)!\(baudRate)")
        case nil: break
        }
    }
}

/// One second of a 1 Hz receiver at a wrong baud rate.
private let garbledSecond = "xxx......."

@Suite struct BaudRateDetectorTests {
    @Test(arguments: [
        // Correct from the start, with the tail of a burst before it.
        ("x...x.....GG", ["10!9600"]),
        // The tail of a burst, and the next burst just before the timeout.
        ("x.........xG", ["11!9600"]),
        // Wrong: changed 1.2 s after the first byte, wherever in the second that is.
        (garbledSecond + garbledSecond, ["12:38400"]),
        ("....." + garbledSecond + garbledSecond, ["17:38400"]),
        // Two wrong rates.
        (garbledSecond + garbledSecond + garbledSecond + garbledSecond, ["12:38400", "24:115200"]),
        // A wrong rate, then the correct one.
        (garbledSecond + "xxx.......GGG", ["12:38400", "20!38400"]),
        // Garbled bytes every 0.1 s without end.
        ("xxxxxxxxxxxxxxxxxxxxxxxxxxxx", ["12:38400", "24:115200"]),
    ])
    func `the baud rate of a 1 Hz receiver is detected`(drawing: String, actions: [String]) {
        var play = Drawing()
        play.play(drawing)
        #expect(play.actions == actions)
    }

    @Test func `silence causes no wakeups`() {
        var play = Drawing()
        play.play(String(repeating: ".", count: 36_000))
        #expect(play.actions.isEmpty)
        #expect(play.wakeups == 0)
        #expect(play.detector.deadline == nil)
    }

    @Test func `silence after a fragment causes one wakeup`() {
        var play = Drawing()
        play.play("x" + String(repeating: ".", count: 36_000))
        #expect(play.actions.isEmpty)
        #expect(play.wakeups == 1)
    }

    @Test(arguments: [
        // A burst every two seconds: the tail of one burst proves nothing, the next whole one does.
        ("x...................xG", ["21!9600"]),
        // A burst every five seconds.
        ("xx" + String(repeating: ".", count: 48) + "xxG", ["52!9600"]),
        // A burst every two seconds at a wrong rate: changed after the second burst.
        ("xxx.................xxx.................xxx", ["32:38400"]),
    ])
    func `a slow receiver gets time for a whole burst`(drawing: String, actions: [String]) {
        var play = Drawing()
        play.play(drawing)
        #expect(play.actions == actions)
    }

    @Test(
        arguments: [
            (9600, nil, [9600, 38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]),
            (115_200, nil, [115_200, 9600, 38_400, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]),
            (9600, 57_600, [57_600, 9600, 38_400, 115_200, 4800, 19_200, 230_400, 460_800, 921_600]),
            (2400, nil, [2400, 9600, 38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]),
            (nil, nil, [9600, 38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600]),
        ] as [(Int?, Int?, [Int])])
    func `a round tries every baud rate once`(present: Int?, saved: Int?, expected: [Int]) {
        var play = Drawing(present: present, saved: saved)
        var tried = [play.detector.baudRate]
        while tried.count < expected.count {
            play.play("x")
            if play.detector.baudRate != tried.last { tried.append(play.detector.baudRate) }
        }
        #expect(tried == expected)
    }

    @Test func `detection pauses after two rounds and then continues`() {
        var play = Drawing()
        // Two rounds of nine rates at 1.3 s each, because the byte after a change starts the next
        // trial.
        play.play(String(repeating: "x", count: 300))
        let changes = play.actions.count
        #expect(changes == 18)
        #expect(play.detector.baudRate == 9600)
        play.play(String(repeating: "x", count: 500))
        #expect(play.actions.count == changes)
        #expect(play.detector.deadline == nil)
        play.play(String(repeating: "x", count: 100))
        #expect(play.actions.count > changes)
    }

    @Test func `a good sentence during a pause locks the baud rate`() {
        var play = Drawing()
        play.play(String(repeating: "x", count: 300) + "G")
        #expect(play.detector.isLocked)
        #expect(play.actions.last == "300!9600")
    }

    @Test(arguments: [
        // Two seconds of garbled bytes end a lock; the locked rate is tried once more before the
        // next.
        ("G.........xxx.......xxx.......xxx.......xxx.......xxx", ["0!9600", "42:38400"]),
        // A disturbance of one second keeps the lock.
        ("G.........xxxxxxxxxx..........G", ["0!9600"]),
        // A disturbance of three seconds ends the lock but does not change the rate.
        ("G.........xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxG", ["0!9600", "40!9600"]),
        // The starts of bursts of a slow receiver do not count as garbled.
        ("G" + String(repeating: ".", count: 99) + "xG" + String(repeating: ".", count: 98) + "xG", ["0!9600"]),
        // A partial sentence, a long silence, then the next burst in pieces.
        ("Gx" + String(repeating: ".", count: 98) + "xxG", ["0!9600"]),
    ])
    func `only garbled bytes end a lock`(drawing: String, actions: [String]) {
        var play = Drawing()
        play.play(drawing)
        #expect(play.actions == actions)
    }

    @Test func `silence after a lock causes no wakeups`() {
        var play = Drawing()
        play.play("G" + String(repeating: ".", count: 36_000))
        #expect(play.wakeups == 0)
        #expect(play.detector.isLocked)
    }

    @Test func `bytes received before a late deadline count`() {
        var detector = BaudRateDetector(present: 9600)
        #expect(detector.received(bytes: 10, goodSentences: 0, at: .zero) == nil)
        // After a suspend of the machine, the bytes are processed before the deadline.
        #expect(detector.received(bytes: 10, goodSentences: 0, at: .zero + .seconds(100)) == nil)
        #expect(detector.baudRate == 9600)
        #expect(detector.tick(at: .zero + .seconds(100)) == nil)
        #expect(detector.received(bytes: 10, goodSentences: 1, at: .zero + .seconds(101)) == .locked(9600))
    }

    @Test func `a tick before the deadline does nothing`() {
        var detector = BaudRateDetector(present: 9600)
        #expect(detector.tick(at: .zero) == nil)
        _ = detector.received(bytes: 10, goodSentences: 0, at: .zero)
        _ = detector.received(bytes: 10, goodSentences: 0, at: .zero + .milliseconds(1100))
        #expect(detector.tick(at: .zero + .milliseconds(1199)) == nil)
        #expect(detector.tick(at: .zero + .milliseconds(1200)) == .setBaud(38_400))
    }

    @Test func `a refused baud rate is not tried again`() {
        var detector = BaudRateDetector(present: 9600)
        var refusals: [Int] = []
        while case .setBaud(let baudRate)? = detector.baudRateRefused() { refusals.append(baudRate) }
        #expect(refusals == [38_400, 115_200, 4800, 57_600, 19_200, 230_400, 460_800, 921_600])
        #expect(detector.baudRate == 921_600)
        _ = detector.received(bytes: 1, goodSentences: 0, at: .zero)
        #expect(detector.tick(at: .zero + .seconds(2)) == nil || detector.baudRate == 921_600)
    }

    @Test(arguments: 0..<9) func `detection continues with the rate after a refused one`(number: Int) {
        var detector = BaudRateDetector(present: 9600)
        var now = Instant.zero
        /// Receives garbled bytes until the detector leaves the rate.
        func leaveRate() {
            let rate = detector.baudRate
            while detector.baudRate == rate {
                _ = detector.received(bytes: 10, goodSentences: 0, at: now)
                now = now + .milliseconds(100)
            }
        }
        for _ in 0..<number { leaveRate() }
        let (refused, next) = (BaudRateDetector.order[number], BaudRateDetector.order[(number + 1) % 9])
        #expect(detector.baudRate == refused)
        #expect(detector.baudRateRefused() == .setBaud(next) && detector.baudRate == next)
        var tried: [Int] = []
        for _ in 0..<8 {
            tried.append(detector.baudRate)
            leaveRate()
        }
        #expect(Set(tried) == Set(BaudRateDetector.order).subtracting([refused]) && detector.baudRate == next)
    }

    /// At most one round of the nine rates for a 1 Hz receiver, whatever its rate and phase.
    @Test(arguments: BaudRateDetector.order, [0, 3, 7]) func `every baud rate is detected within one round`(
        baudRate: Int, phase: Int
    ) {
        var detector = BaudRateDetector(present: 9600)
        var tenth = 0
        while !detector.isLocked, tenth < 300 {
            let now = Instant.zero + .milliseconds(Int64(tenth) * 100)
            if let deadline = detector.deadline, deadline <= now { _ = detector.tick(at: now) }
            if (tenth + phase) % 10 < 3 {
                _ = detector.received(bytes: 40, goodSentences: detector.baudRate == baudRate ? 1 : 0, at: now)
            }
            tenth += 1
        }
        #expect(detector.baudRate == baudRate)
        #expect(tenth < 9 * 21)
    }
}
