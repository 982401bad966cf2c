import Chronology
import Testing

@testable import Receivers

@Suite struct BaudRateRestTests {
    /// Garbled bytes for three minutes lead to pauses; each pause is followed by two whole rounds.
    @Test(arguments: BaudRateDetector.order)
    func `after a pause every baud rate is detected within one round`(baudRate: Int) {
        var detector = BaudRateDetector(present: 9600)
        var tenth = 0
        func receive(good: Bool) -> BaudRateDetector.Action? {
            let now = Instant.zero + .milliseconds(Int64(tenth) * 100)
            tenth += 1
            if let deadline = detector.deadline, deadline <= now, let action = detector.tick(at: now) { return action }
            return detector.received(bytes: 40, goodSentences: good ? 1 : 0, at: now)
        }
        var changes = 0
        var lastChange = 0
        // Two rounds of nine rates, then a pause of a minute, which ends with the first change.
        while changes < 19, tenth < 3000 {
            guard case .setBaud? = receive(good: false) else { continue }
            changes += 1
            if changes == 19 { #expect(tenth - lastChange > 590) }
            lastChange = tenth
        }
        #expect(changes == 19)
        let start = tenth
        while !detector.isLocked, tenth < start + 3000 { _ = receive(good: detector.baudRate == baudRate) }
        #expect(detector.baudRate == baudRate)
        #expect(tenth - start < 9 * 14)
    }
}
