import Chronology
import Testing

@testable import Locator

/// Who speaks for the device, drawn in columns of one second: `4x10 .x2` is ten fixes of 4 m R68 and two seconds without one.
@Suite struct ReceiverChoiceTests {
    /// Receivers A, B, C fix a tenth of a second after another; the answer is who is chosen at the end of each second.
    private func play(_ drawings: String..., hertz: Int = 1) -> String {
        let series = drawings.map(Drawn.columns)
        var choice = ReceiverChoice()
        var speakers = ""
        for column in 0..<(series.map(\.count).max() ?? 0) {
            let start = Instant.zero + .seconds(Double(column))
            for step in 0..<hertz {
                for (number, columns) in series.enumerated() where column < columns.count {
                    let now = start + .milliseconds(Int64(number * 10 + step * 1000 / hertz))
                    // Only A is that fast.
                    guard let accuracy = columns[column], number == 0 || step == 0 else { continue }
                    _ = choice.tick(at: now)
                    _ = choice.offer(accuracy, from: ReceiverID(number), period: number == 0 ? 1000 / hertz : 1000, at: now)
                }
            }
            _ = choice.tick(at: start + .milliseconds(990))
            speakers += choice.chosen.map { ["A", "B", "C"][$0.rawValue] } ?? "-"
        }
        return Drawn.runs(speakers)
    }

    @Test func theFirstThatFixesIsChosenAtOnce() {
        #expect(play(".x3 4x5", "4x8") == "Bx8")
    }

    /// Better by less than the margin is not better: the sky above two antennas differs by that much by chance.
    @Test func aLittleBetterIsNotBetter() {
        #expect(play("4x120", "3x120") == "Ax120")
    }

    @Test func clearlyBetterForTenSecondsTakesOver() {
        #expect(play("4x60", "2x60") == "Ax10 Bx50")
        #expect(play("4x60", "2x5 4x55") == "Ax60")
    }

    /// A change in the middle has to get through the smoothing first.
    @Test func aReceiverThatGrowsWorseIsLeft() {
        #expect(play("4x40 40x40", "4x80") == "Ax50 Bx30")
    }

    /// Half a minute lies between two changes for the better, whatever the radii do.
    @Test func noChangeSoonAfterAnother() {
        #expect(play("4x20 1x60", "2x20 8x60") == "Ax10 Bx31 Ax39")
    }

    @Test func twoMissedEpochsAreALossAndOneIsNone() {
        #expect(play("4x10 .x1 4x10", "5x21") == "Ax21")
        #expect(play("4x10 .x9", "5x19") == "Ax11 Bx8")
    }

    /// The other speaks on while the first comes back, unless that is clearly better; then too not within half a minute.
    @Test func whoComesBackHasToWin() {
        #expect(play("4x10 .x5 4x60", "5x75") == "Ax11 Bx64")
        #expect(play("1x10 .x5 1x60", "9x75") == "Ax11 Bx31 Ax33")
    }

    /// A loose plug costs two changes in a minute, not one for each time it makes contact.
    @Test func aLoosePlugDoesNotFlap() {
        let loose = (0..<40).map { _ in "1x12 .x3" }.joined(separator: " ")
        let changes = play(loose, "4x600").split(separator: " ").count - 1
        #expect((2...40).contains(changes), "\(changes) changes in ten minutes")
    }

    /// Both lose every other epoch: nobody is lost.
    @Test func gapsOfOneEpochAreBridged() {
        let (even, odd) = ((0..<60).map { _ in "4x1 .x1" }, (0..<60).map { _ in ".x1 4x1" })
        #expect(play(even.joined(separator: " "), odd.joined(separator: " ")) == "Ax120")
    }

    @Test func theBestOfTheOthersTakesOver() {
        #expect(play("4x10 .x5", "9x15", "5x15") == "Ax11 Cx4")
        #expect(play("9x40", "4x40", "2x40") == "Ax10 Cx30")
    }

    @Test func withoutOthersTheLostOneStays() {
        #expect(play("4x10 .x60 4x3", ".x73") == "Ax73")
        #expect(play("4x10 .x60 4x3", ".x40 9x33") == "Ax40 Bx33")
    }

    /// RTK that falls back to code, and dead reckoning in a tunnel: R68 knows both.
    @Test func theKindOfFixIsInItsRadius() {
        #expect(play("0.1x30 3x60", "0.1x90") == "Ax40 Bx50")
        #expect(play("3x30 30x60", "6x90") == "Ax41 Bx49")
    }

    /// Ten fixes a second weigh no more than one; a fast receiver is lost sooner.
    @Test func mixedRates() {
        #expect(play("4x60", "3x60", hertz: 10) == "Ax60")
        #expect(play("4x60", "2x60", hertz: 10) == "Ax10 Bx50")
        #expect(play("4x10 .x5", "5x15", hertz: 10) == "Ax10 Bx5")
    }

    @Test func withoutARadiusItIsTheWorst() {
        var choice = ReceiverChoice()
        #expect(choice.offer(nil, from: ReceiverID(0), period: nil, at: .zero) == ReceiverID(0))
        #expect(choice.offer(.nan, from: ReceiverID(1), period: nil, at: .zero) == nil)
        #expect(choice.accuracy(of: ReceiverID(1), at: .zero) == ReceiverStanding.unknown)
    }

    @Test func aClosedPortHandsOverAtOnce() {
        var choice = ReceiverChoice()
        for number in 0..<3 { _ = choice.offer(4 - Double(number), from: ReceiverID(number), period: 1000, at: .zero) }
        #expect(choice.remove(ReceiverID(1), at: .zero) == nil)
        #expect(choice.remove(ReceiverID(0), at: .zero) == ReceiverID(2))
        #expect(choice.remove(ReceiverID(2), at: .zero) == nil)
        #expect(choice.chosen == nil && choice.deadline == nil)
    }

    /// Alone it costs no timer; with others the timer is gone once it has been heard.
    @Test func theDeadlineIsDueOnce() throws {
        var choice = ReceiverChoice()
        _ = choice.offer(4, from: ReceiverID(0), period: 1000, at: .zero)
        #expect(choice.deadline == nil)
        _ = choice.offer(4, from: ReceiverID(1), period: 1000, at: .zero)
        let due = try #require(choice.deadline)
        #expect(due == .zero + .milliseconds(2100))
        #expect(choice.tick(at: due) == nil, "the other is lost too")
        #expect(choice.deadline == nil && choice.chosen == ReceiverID(0))
    }
}

/// Random series: what holds for all of them.
@Suite struct ReceiverChoiceRandomTests {
    /// Plays an hour of two receivers at 1 Hz; returns the instants of changes and how often the chosen one was lost.
    private func play(_ seed: UInt64, _ radius: (Int, inout Chance) -> Double?) -> (changes: [Instant], losses: Int) {
        var chance = Chance(seed)
        var choice = ReceiverChoice()
        var (changes, losses): ([Instant], Int) = ([], 0)
        for second in 0..<3600 {
            for number in 0...1 {
                let now = Instant.zero + .seconds(Double(second)) + .milliseconds(Int64(number) * 100)
                let before = choice.chosen
                if choice.tick(at: now) != nil { losses += 1 }
                if let accuracy = radius(number, &chance) {
                    let speaker = choice.offer(accuracy, from: ReceiverID(number), period: 1000, at: now)
                    #expect(speaker == nil || speaker == choice.chosen, "only the chosen one is news")
                }
                if let before, choice.chosen != before { changes.append(now) }
            }
        }
        return (changes, losses)
    }

    /// Two that are equally good, with radii that scatter by a factor of two: hardly ever a change.
    @Test(arguments: UInt64(1)...20) func equalsAreNotSwapped(seed: UInt64) {
        let changes = play(seed) { _, chance in 4 * chance.factor(2) }.changes
        #expect(changes.count <= 2, "\(changes.count) changes in an hour")
    }

    /// Whatever the radii do, half a minute lies between two changes as long as both have fixes.
    @Test(arguments: UInt64(1)...20) func neverMoreThanTwiceAMinute(seed: UInt64) {
        var level = [4.0, 4.0]
        let (changes, losses) = play(seed) { number, chance in
            if chance.next() < 0.05 { level[number] = 4 * chance.factor(8) }
            return level[number] * chance.factor(1.5)
        }
        #expect(losses == 0)
        for (one, next) in zip(changes, changes.dropFirst()) { #expect(next - one >= ReceiverChoice.dwell) }
    }

    /// With fixes that fail at random there is one change for each loss, and between those no more than without.
    @Test(arguments: UInt64(1)...20) func aChangeHasAReason(seed: UInt64) {
        var isOut = [false, false]
        let (changes, losses) = play(seed) { number, chance in
            if chance.next() < (isOut[number] ? 0.2 : 0.02) { isOut[number].toggle() }
            return isOut[number] ? nil : 4 * chance.factor(3)
        }
        #expect(changes.count <= losses + 3600 / 30, "\(changes.count) changes, \(losses) losses")
        #expect(losses > 0)
    }
}

private enum Drawn {
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
