import Chronology
import TestSupport
import Testing

@testable import Locator

/// The choice of the primary receiver, drawn in columns of one second: `4x10 .x2` is ten fixes of 4
/// m R68 and two seconds without one.
@Suite struct ReceiverSelectorTests {
    /// Receivers A, B and C fix a tenth of a second apart; the result is the primary receiver at
    /// the end of each second.
    private func primaries(_ drawings: String..., hertz: Int = 1) -> String {
        let series = drawings.map(Notation.columns)
        var selector = ReceiverSelector()
        var primaries = ""
        for column in 0..<(series.map(\.count).max() ?? 0) {
            let start = Instant.zero + .seconds(Double(column))
            for step in 0..<hertz {
                for (number, columns) in series.enumerated() where column < columns.count {
                    let now = start + .milliseconds(Int64(number * 10 + step * 1000 / hertz))
                    // Only receiver A has the higher rate.
                    guard let accuracy = columns[column], number == 0 || step == 0 else { continue }
                    _ = selector.tick(at: now)
                    _ = selector.recordFix(
                        accuracy: accuracy, from: ReceiverID(number), period: number == 0 ? 1000 / hertz : 1000, at: now
                    )
                }
            }
            _ = selector.tick(at: start + .milliseconds(990))
            primaries += selector.primary.map { ["A", "B", "C"][$0.rawValue] } ?? "-"
        }
        return Notation.runs(primaries)
    }

    @Test func `the first receiver with a fix becomes primary at once`() {
        #expect(primaries(".x3 4x5", "4x8") == "Bx8")
    }

    /// Differences below the margin occur by chance between two antennas.
    @Test func `a slightly better receiver does not take over`() {
        #expect(primaries("4x120", "3x120") == "Ax120")
    }

    @Test func `a receiver twice as good for ten seconds takes over`() {
        #expect(primaries("4x60", "2x60") == "Ax10 Bx50")
        #expect(primaries("4x60", "2x5 4x55") == "Ax60")
    }

    /// A sudden change first has to pass the smoothing.
    @Test func `a receiver that gets worse is replaced`() {
        #expect(primaries("4x40 40x40", "4x80") == "Ax50 Bx30")
    }

    /// Two changes to a better receiver are half a minute apart, for any accuracies.
    @Test func `changes are at least half a minute apart`() {
        #expect(primaries("4x20 1x60", "2x20 8x60") == "Ax10 Bx31 Ax39")
    }

    @Test func `two missed epochs are a loss and one is not`() {
        #expect(primaries("4x10 .x1 4x10", "5x21") == "Ax21")
        #expect(primaries("4x10 .x9", "5x19") == "Ax11 Bx8")
    }

    /// The successor stays primary when the first receiver returns. A clearly better first receiver
    /// takes over, but not within half a minute.
    @Test func `a returning receiver must be clearly better`() {
        #expect(primaries("4x10 .x5 4x60", "5x75") == "Ax11 Bx64")
        #expect(primaries("1x10 .x5 1x60", "9x75") == "Ax11 Bx31 Ax33")
    }

    /// A loose plug costs two changes per minute, not one for each contact.
    @Test func `a loose plug does not cause constant changes`() {
        let loose = (0..<40).map { _ in "1x12 .x3" }.joined(separator: " ")
        let changes = primaries(loose, "4x600").split(separator: " ").count - 1
        #expect((2...40).contains(changes), "\(changes) changes in ten minutes")
    }

    /// Both lose every other epoch, but neither counts as lost.
    @Test func `gaps of one epoch are bridged`() {
        let (even, odd) = ((0..<60).map { _ in "4x1 .x1" }, (0..<60).map { _ in ".x1 4x1" })
        #expect(primaries(even.joined(separator: " "), odd.joined(separator: " ")) == "Ax120")
    }

    @Test func `the best standby receiver takes over`() {
        #expect(primaries("4x10 .x5", "9x15", "5x15") == "Ax11 Cx4")
        #expect(primaries("9x40", "4x40", "2x40") == "Ax10 Cx30")
    }

    @Test func `without a standby receiver the lost one stays primary`() {
        #expect(primaries("4x10 .x60 4x3", ".x73") == "Ax73")
        #expect(primaries("4x10 .x60 4x3", ".x40 9x33") == "Ax40 Bx33")
    }

    /// RTK that falls back to code, and dead reckoning in a tunnel: R68 reflects both.
    @Test func `the accuracy reflects the kind of fix`() {
        #expect(primaries("0.1x30 3x60", "0.1x90") == "Ax40 Bx50")
        #expect(primaries("3x30 30x60", "6x90") == "Ax41 Bx49")
    }

    /// Ten fixes a second weigh no more than one; a fast receiver counts as lost sooner.
    @Test func `receivers of different rates compare fairly`() {
        #expect(primaries("4x60", "3x60", hertz: 10) == "Ax60")
        #expect(primaries("4x60", "2x60", hertz: 10) == "Ax10 Bx50")
        #expect(primaries("4x10 .x5", "5x15", hertz: 10) == "Ax10 Bx5")
    }

    @Test func `a missing accuracy ranks last`() {
        var selector = ReceiverSelector()
        #expect(selector.recordFix(accuracy: nil, from: ReceiverID(0), period: nil, at: .zero) == ReceiverID(0))
        #expect(selector.recordFix(accuracy: .nan, from: ReceiverID(1), period: nil, at: .zero) == nil)
        #expect(selector.accuracy(of: ReceiverID(1), at: .zero) == ReceiverScore.defaultAccuracy)
    }

    @Test func `a removed receiver hands over at once`() {
        var selector = ReceiverSelector()
        for number in 0..<3 {
            _ = selector.recordFix(accuracy: 4 - Double(number), from: ReceiverID(number), period: 1000, at: .zero)
        }
        #expect(selector.remove(ReceiverID(1), at: .zero) == nil)
        #expect(selector.remove(ReceiverID(0), at: .zero) == ReceiverID(2))
        #expect(selector.remove(ReceiverID(2), at: .zero) == nil)
        #expect(selector.primary == nil && selector.deadline == nil)
    }

    /// A single receiver needs no timer. With several, the timer ends once it has fired.
    @Test func `the deadline is due once`() throws {
        var selector = ReceiverSelector()
        _ = selector.recordFix(accuracy: 4, from: ReceiverID(0), period: 1000, at: .zero)
        #expect(selector.deadline == nil)
        _ = selector.recordFix(accuracy: 4, from: ReceiverID(1), period: 1000, at: .zero)
        let due = try #require(selector.deadline)
        #expect(due == .zero + .milliseconds(2100))
        #expect(selector.tick(at: due) == nil, "the other is lost too")
        #expect(selector.deadline == nil && selector.primary == ReceiverID(0))
    }
}

/// Random series, and properties that hold for all of them.
@Suite struct ReceiverSelectorRandomTests {
    /// Plays an hour of two receivers at 1 Hz; returns the instants of changes and how often the
    /// primary receiver was lost.
    private func simulate(seed: UInt64, accuracy radius: (Int, inout SeededGenerator) -> Double?) -> (
        changes: [Instant], losses: Int
    ) {
        var generator = SeededGenerator(seed: seed)
        var selector = ReceiverSelector()
        var (changes, losses): ([Instant], Int) = ([], 0)
        for second in 0..<3600 {
            for number in 0...1 {
                let now = Instant.zero + .seconds(Double(second)) + .milliseconds(Int64(number) * 100)
                let before = selector.primary
                if selector.tick(at: now) != nil { losses += 1 }
                if let accuracy = radius(number, &generator) {
                    let lastReadReceiver = selector.recordFix(
                        accuracy: accuracy, from: ReceiverID(number), period: 1000, at: now)
                    #expect(
                        lastReadReceiver == nil || lastReadReceiver == selector.primary, "only the chosen one is news")
                }
                if let before, selector.primary != before { changes.append(now) }
            }
        }
        return (changes, losses)
    }

    /// Two equally good receivers, with accuracies that scatter by a factor of two.
    @Test(arguments: UInt64(1)...20) func `equally good receivers are hardly ever swapped`(seed: UInt64) {
        let changes = simulate(seed: seed) { _, generator in 4 * generator.factor(2) }.changes
        #expect(changes.count <= 2, "\(changes.count) changes in an hour")
    }

    /// For any accuracies, two changes are half a minute apart as long as both receivers have
    /// fixes.
    @Test(arguments: UInt64(1)...20) func `changes are half a minute apart for random accuracies`(seed: UInt64) {
        var level = [4.0, 4.0]
        let (changes, losses) = simulate(seed: seed) { number, generator in
            if generator.share() < 0.05 { level[number] = 4 * generator.factor(8) }
            return level[number] * generator.factor(1.5)
        }
        #expect(losses == 0)
        for (one, next) in zip(changes, changes.dropFirst()) {
            #expect(next - one >= ReceiverSelector.minTakeoverInterval)
        }
    }

    /// With random outages there is one change for each loss, and otherwise no more than without
    /// outages.
    @Test(arguments: UInt64(1)...20) func `there is hardly more than one change for each loss`(seed: UInt64) {
        var isOut = [false, false]
        let (changes, losses) = simulate(seed: seed) { number, generator in
            if generator.share() < (isOut[number] ? 0.2 : 0.02) { isOut[number].toggle() }
            return isOut[number] ? nil : 4 * generator.factor(3)
        }
        #expect(changes.count <= losses + 3600 / 30, "\(changes.count) changes, \(losses) losses")
        #expect(losses > 0)
    }
}

private enum Notation {
    static func columns(_ text: String) -> [Double?] {
        text.split(separator: " ").flatMap { word -> [Double?] in
            let parts = word.split(separator: "x")
            return Array(repeating: Double(parts.first ?? ""), count: parts.last.flatMap { Int($0) } ?? 0)
        }
    }

    static func runs(_ text: String) -> String {
        var runs: [(Character, Int)] = []
        for sign in text {
            if runs.last?.0 == sign { runs[runs.count - 1].1 += 1 } else { runs.append((sign, 1)) }
        }
        return runs.map { "\($0)x\($1)" }.joined(separator: " ")
    }
}
